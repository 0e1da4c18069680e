// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.compare.Samples;
import io.github.rdma4j.perftest.compare.result.ComparisonRow;
import io.github.rdma4j.perftest.compare.result.Verdict;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExpectationTest {
    private static final List<CompareCase> CASES = List.of(Samples.LATENCY, Samples.BANDWIDTH);

    /** Best 11/10, median of the ratios 12/10; the ratio of the medians would be 18/15. */
    private static final List<ComparisonRow> ROWS = Samples.latencyResult(
                    new double[] {19.5, 24, 11}, new double[] {15, 20, 10})
            .rows();

    @ParameterizedTest
    @CsvSource({
        "ib_write_lat:2:best<=1.10,   1.1, true",
        "ib_write_lat:2:best<=1.05,   1.1, false",
        "ib_write_lat:2:median<=1.2,  1.2, true",
        "ib_write_lat:2:median<=1.1,  1.2, false",
        "ib_write_lat:2:best>=1,      1.1, true",
        "ib_write_lat:2:best>=1.2,    1.1, false",
    })
    void isMetOrNot(String text, double ratio, boolean met) {
        Expectation expectation = Expectation.parse(text, CASES);

        Verdict verdict = Verdict.of(expectation, ROWS);
        assertThat(verdict.ratio()).isEqualTo(ratio);
        assertThat(verdict.met()).isEqualTo(met);
    }

    @Test
    void sizeMayHaveAUnit() {
        assertThat(Expectation.parse("ib_write_bw:64K:best>=0.95", CASES).test())
                .isEqualTo(Samples.BANDWIDTH);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ib_write_lat",
                "ib_write_lat:2:best<1",
                "ib_write_lat:2:worst<=1",
                "ib_write_lat:2:best<=x",
                "ib_write_lat:2:best<=-1",
                "ib_write_lat:4:best<=1",
                "ib_read_lat:2:best<=1"
            })
    void refusesWhatMakesNoSense(String text) {
        assertThatThrownBy(() -> Expectation.parse(text, CASES))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageStartingWith("--expect: ");
    }
}
