// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CudaVersionTest {
    @Test
    void numberIsThatOfTheDriver() {
        CudaVersion version = CudaVersion.of(12, 4);
        assertThat(version.number()).isEqualTo(12_040);
        assertThat(version.major()).isEqualTo(12);
        assertThat(version.minor()).isEqualTo(4);
        assertThat(version).hasToString("12.4");
    }

    @Test
    void versionsHaveAnOrder() {
        CudaVersion version = CudaVersion.of(12, 4);
        assertThat(version.isAtLeast(CudaVersion.of(12, 4))).isTrue();
        assertThat(version.isAtLeast(CudaVersion.of(11, 8))).isTrue();
        assertThat(version.isAtLeast(CudaVersion.of(12, 5))).isFalse();
        assertThat(Stream.of(CudaVersion.of(13, 0), version, CudaVersion.of(11, 8))
                        .sorted()
                        .map(CudaVersion::toString))
                .containsExactly("11.8", "12.4", "13.0");
    }
}
