// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pinned copies on the machine's first GPU are as quick as a C program's, C and Java by turns. */
@Tag("gpu")
class CopyBandwidthGpuTest {
    private static final double LEAST = 0.95;
    /** The name of the stand-in's GPUs. */
    private static final String STAND_IN = "Stand-in GPU";

    private static final int TURNS = 4;
    private static final int ROUNDS = 20;

    @ParameterizedTest
    @ValueSource(ints = {64, 256})
    void pinnedCopiesAreAsQuickAsThoseOfC(int mebibytes, @TempDir Path folder) {
        long bytes = (long) mebibytes << 20;
        String library = System.getProperty("io.github.rdma4j.cuda.library", "libcuda.so.1");
        CopyBandwidth c = new CopyBandwidth(0, 0);
        CopyBandwidth java = c;
        for (int turn = 0; turn < TURNS; turn++) {
            c = c.orBetter(CopyBandwidth.ofC(folder, library, bytes, ROUNDS));
            java = java.orBetter(CopyBandwidth.ofJava(bytes, ROUNDS));
        }
        System.out.printf("pinned copies of %d MiB: C %s; Java %s%n", mebibytes, c, java);
        if (Cuda.device(0).name().startsWith(STAND_IN)) {
            // It copies by the processor, and how quickly is a matter of what else runs there meanwhile.
            assertThat(Math.min(java.toDevice(), java.toHost())).isPositive();
            return;
        }
        assertThat(java.toDevice()).isGreaterThanOrEqualTo(LEAST * c.toDevice());
        assertThat(java.toHost()).isGreaterThanOrEqualTo(LEAST * c.toHost());
    }
}
