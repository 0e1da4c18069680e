// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CpuFrequencyTest {
    @Test
    void theFirstProcessorCounts() {
        assertThat(CpuFrequency.of("model name\t: x\ncpu MHz\t\t: 2099.998\n\ncpu MHz\t\t: 800.000\n"))
                .hasValue(2099.998);
        assertThat(CpuFrequency.of("BogoMIPS\t: 50.00\nCPU part\t: 0xd0c\n")).isEmpty();
        assertThat(CpuFrequency.of("cpu MHz\t\t: 0.000\n")).isEmpty();
        assertThat(CpuFrequency.of("")).isEmpty();
    }
}
