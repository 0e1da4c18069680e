// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumberTextTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0.0 kB/s",
        "999_900, 999.9 kB/s",
        "1e6, 1.0 MB/s",
        "999.9e6, 999.9 MB/s",
        "1e9, 1.00 GB/s",
        "99.99e9, 99.99 GB/s",
        "100e9, 100.0 GB/s"
    })
    void rates(String bytesPerSecond, String words) {
        assertThat(NumberText.rate(Double.parseDouble(bytesPerSecond.replace("_", ""))))
                .isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1 B",
        "1000, 1000 B",
        "1024, 1 KiB",
        "1025, 1025 B",
        "1536, 1536 B",
        "65536, 64 KiB",
        "1048576, 1 MiB",
        "1073741824, 1 GiB",
        "1099511627776, 1024 GiB",
        "0, 0 B"
    })
    void sizes(long bytes, String words) {
        assertThat(NumberText.size(bytes)).isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource({
        "2.5e-6, 2.5 µs",
        "0.0009999, 999.9 µs",
        "0.001, 1.00 ms",
        "0.999, 999.00 ms",
        "1, 1.00 s",
        "338, 338.00 s"
    })
    void seconds(double seconds, String words) {
        assertThat(NumberText.seconds(seconds)).isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource({"0.004, 0 %", "0.495, 50 %", "1, 100 %"})
    void percents(double share, String words) {
        assertThat(NumberText.percent(share)).isEqualTo(words);
    }
}
