// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.options.Tool;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefaultIterationsTest {
    @ParameterizedTest
    @CsvSource({
        "WRITE_LATENCY,   true,  2,       5000",
        "WRITE_BANDWIDTH, true,  2,       50000",
        "WRITE_BANDWIDTH, true,  4096,    10000",
        "WRITE_BANDWIDTH, true,  65536,   1000",
        "WRITE_BANDWIDTH, true,  8388608, 100",
        "WRITE_LATENCY,   false, 2,       100000",
        "WRITE_BANDWIDTH, false, 2,       1000000",
        "WRITE_BANDWIDTH, false, 65536,   50000",
    })
    void takeAboutASecond(Tool tool, boolean software, long size, int iterations) {
        assertThat(DefaultIterations.of(tool, size, software)).isEqualTo(iterations);
    }
}
