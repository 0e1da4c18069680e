// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Runs the comparison of {@link CopyBandwidthGpuTest} on the stand-in, to check that both sides measure. */
@ExtendWith(StandInDriver.class)
class CopyBandwidthTest {
    private static final int BYTES = 1 << 20;

    @Test
    void bothSidesMeasure(@TempDir Path folder) {
        CopyBandwidth c = CopyBandwidth.ofC(folder, StandInDriver.library().toString(), BYTES, 3);
        CopyBandwidth java = CopyBandwidth.ofJava(BYTES, 3);
        assertThat(c.toDevice()).isPositive();
        assertThat(c.toHost()).isPositive();
        assertThat(java.toDevice()).isPositive();
        assertThat(java.toHost()).isPositive();
        assertThat(StandInDriver.get("bytes.htod")).isEqualTo(3 * BYTES);
        assertThat(StandInDriver.get("bytes.dtoh")).isEqualTo(3 * BYTES);
        assertThat(StandInDriver.open()).isEmpty();
    }
}
