// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CpuFrequencyTest {
    @Test
    void firstProcessorCounts() {
        assertThat(CpuFrequency.of("model name\t: x\ncpu MHz\t\t: 2099.998\n\ncpu MHz\t\t: 800.000\n"))
                .hasValue(2099.998);
        assertThat(CpuFrequency.of("BogoMIPS\t: 50.00\nCPU part\t: 0xd0c\n")).isEmpty();
        assertThat(CpuFrequency.of("cpu MHz\t\t: 0.000\n")).isEmpty();
        assertThat(CpuFrequency.of("")).isEmpty();
    }

    /** As in C, by more than a fiftieth. */
    @Test
    void anotherFrequencyIsSeen() {
        String first = "cpu MHz\t\t: 2000.0\n\n";
        assertThat(CpuFrequency.conflicting(first + "cpu MHz\t\t: 1961.0\n\ncpu MHz\t\t: 800.5\n\ncpu MHz\t\t: 900\n"))
                .hasValue(800.5);
        assertThat(CpuFrequency.conflicting(first + "cpu MHz\t\t: 2039.0\n")).isEmpty();
        assertThat(CpuFrequency.conflicting(first)).isEmpty();
        assertThat(CpuFrequency.conflicting("")).isEmpty();
    }
}
