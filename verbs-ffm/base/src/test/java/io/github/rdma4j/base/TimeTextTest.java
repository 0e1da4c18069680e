// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeTextTest {
    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 s",
        "PT0.000000007S, 7 ns",
        "PT0.0002S, 200 µs",
        "PT0.339086592S, 339 ms",
        "PT0.1S, 100 ms",
        "PT0.9999S, 1000 ms",
        "PT2S, 2 s",
        "PT1.001S, 1.001 s",
        "PT2.5004S, 2.5 s",
        "PT1M39.96S, 99.96 s",
        "PT2M0.7S, 120 s",
        "PT1H, 3600 s",
        "PT-0.25S, -250 ms",
        "PT-1M-40S, -100 s",
        "PT-1M-39S, -99 s",
        "PT2562047788015215H30M7S, 9223372036854775807 s",
        "PT2562047788015215H30M7.999999999S, 9223372036854775807 s",
        "PT-2562047788015215H-30M-8S, -9223372036854775808 s"
    })
    void timeHasAFittingUnit(Duration time, String text) {
        assertThat(TimeText.of(time)).isEqualTo(text);
    }
}
