// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.count;

import static io.github.rdma4j.perftest.compare.count.CountedCase.Ending.SETTLED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.compare.Samples;
import io.github.rdma4j.perftest.compare.plan.CompareCase;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CountLimitTest {
    private static final List<CompareCase> CASES = List.of(Samples.LATENCY, Samples.BANDWIDTH);

    private static final List<CountedCase> COUNTED = List.of(
            new CountedCase(
                    Samples.LATENCY, new InstructionCount(0, 500, 0, 1), new InstructionCount(0, 300, 0, 1), SETTLED),
            new CountedCase(
                    Samples.BANDWIDTH,
                    new InstructionCount(480.5, 0, 0, 1),
                    new InstructionCount(360, 0, 0, 1),
                    SETTLED));

    @ParameterizedTest
    @CsvSource({
        "ib_write_lat:2:user<=700,       true",
        "ib_write_lat:2:user<=699.9,     false",
        "ib_write_bw:64K:user<=480.5,    true",
        "ib_write_bw:65536:user<=480.4,  false"
    })
    void isMetOrNot(String text, boolean met) {
        assertThat(CountLimit.parse(text, CASES).isMet(COUNTED)).isEqualTo(met);
    }

    @ParameterizedTest
    @CsvSource({
        "ib_write_lat:2:user<=700, ib_write_bw:64K:user<=1,   true",
        "ib_write_lat:2:user<=700, ib_write_lat:2:user<=699,  false"
    })
    void oneCaseHasEnoughWhenAllItsLimitsAreMet(String first, String second, boolean enough) {
        List<CountLimit> limits = List.of(CountLimit.parse(first, CASES), CountLimit.parse(second, CASES));

        assertThat(CountLimit.areOf(limits, Samples.LATENCY)).isTrue();
        assertThat(CountLimit.areMet(limits, COUNTED.getFirst())).isEqualTo(enough);
    }

    @Test
    void limitOfAnotherCaseIsNone() {
        assertThat(CountLimit.areOf(List.of(CountLimit.parse("ib_write_bw:64K:user<=1", CASES)), Samples.LATENCY))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ib_write_lat:2:best<=1",
                "ib_write_lat:2:user>=1",
                "ib_write_lat:4:user<=1",
                "ib_x:2:user<=1"
            })
    void refusesWhatMakesNoSense(String text) {
        assertThatThrownBy(() -> CountLimit.parse(text, CASES))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageStartingWith("--expect: ");
    }
}
