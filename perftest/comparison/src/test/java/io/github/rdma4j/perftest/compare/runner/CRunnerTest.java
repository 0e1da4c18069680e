// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.exit.CompareException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class CRunnerTest {
    private static final String HEADING = "#bytes #iterations t_typical[usec] t_stdev[usec]\n";
    /** Printed on a busy machine, 25 November 2026. */
    private static final String NO_FREQUENCY = "2 200 inf -nan";

    private static Measurement measured(String... rows) {
        Queue<String> runs = new ArrayDeque<>(List.of(rows));
        return CRunner.measured(
                "C's ib_write_lat",
                Duration.ZERO,
                () -> Measurement.of(Implementation.C, CToolOutput.parse(HEADING + runs.remove())));
    }

    @Test
    void unknownFrequencyRunsOnceMore() {
        assertThat(measured(NO_FREQUENCY, NO_FREQUENCY, "2 200 12.5 0.1").figures())
                .containsEntry("t_typical", 12.5);
    }

    @Test
    void oneMessageHasNoDeviation() {
        assertThat(measured("2 1 12.5 -nan").figures()).containsEntry("t_typical", 12.5);
    }

    @Test
    void frequencyThatStaysUnknownIsReported() {
        String[] runs = Collections.nCopies(60, NO_FREQUENCY).toArray(String[]::new);

        assertThatThrownBy(() -> measured(runs))
                .isInstanceOf(CompareException.class)
                .hasMessage("C's ib_write_lat could not measure the processor's frequency, 60 times: '2 200 inf -nan'");
    }
}
