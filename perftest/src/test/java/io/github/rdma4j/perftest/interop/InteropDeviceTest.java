// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.interop.Cell.Row;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Java tools against the C tools of two versions in both roles, and against themselves, over a real device on this
 * machine: each cell of the matrix is a test. docs/conformance.md shows the matrix. {@code -Drdma4j.interop=all} runs
 * all of it; without that some are left out, but no tool and no option.
 */
@Tag("device")
class InteropDeviceTest {
    /** For both sides together, from the start of the server: many times what a quiet machine needs. */
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private static final int BANDWIDTH_COLUMNS = 5;

    /**
     * A C tool prints this if it could not measure the rate of its clock. Its figures are then zeros, "inf" and "-nan".
     */
    private static final String UNKNOWN_CLOCK = "Correlation coefficient r^2";

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.github.rdma4j.perftest.interop.Cells#toRun")
    void bothSidesReport(Cell cell) throws Exception {
        Row row = cell.row();
        Encounter encounter = Encounter.of(row.tool(), row.options(), cell.server(), cell.client(), LIMIT);
        String both = cell + " " + encounter;
        assertThat(encounter.client()).as("status of the client; %s", both).isEqualTo(0);
        assertThat(encounter.server()).as("status of the server; %s", both).isEqualTo(0);
        assertRows(encounter.clientOutput(), row.clientRows(), "client; " + both);
        assertRows(encounter.serverOutput(), row.serverRows(), "server; " + both);
    }

    /** Results are lines of numbers above zero, except the peak of a timed run and deviations. */
    private static void assertRows(String output, int expected, String description) {
        List<double[]> rows = output.lines()
                .filter(line -> line.matches(" \\d+ .*(\\d\\.\\d|inf|nan).*"))
                .map(line -> Arrays.stream(line.strip().split("\\s+"))
                        .mapToDouble(InteropDeviceTest::number)
                        .toArray())
                .toList();
        assertThat(rows).as("lines of results of the %s", description).hasSize(expected);
        if (description.contains(UNKNOWN_CLOCK)) {
            return;
        }
        for (double[] row : rows) {
            assertThat(Arrays.stream(row))
                    .as("a result of the %s", description)
                    .allMatch(value -> value >= 0 && value < 1e9);
            // Of bandwidth the message rate: two digits of MiB/s are too few for two bytes when the machine pauses.
            assertThat(row[row.length == BANDWIDTH_COLUMNS ? BANDWIDTH_COLUMNS - 1 : 3])
                    .as("a result of the %s", description)
                    .isPositive();
        }
    }

    private static double number(String text) {
        if (text.endsWith("nan")) {
            return Double.NaN;
        }
        return text.equals("inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
    }
}
