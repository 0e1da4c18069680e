// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.RdmaAddress;
import io.github.rdma4j.perftest.interop.Cell.Row;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Java tools against the C tools of two versions in both roles, and against themselves, over a real device on this
 * machine: each cell of the matrix is a test. docs/interop.md shows the matrix.
 */
@Tag("device")
class InteropDeviceTest {
    /** For both sides together, from the start of the server: many times what a quiet machine needs. */
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private static final Duration POLL = Duration.ofMillis(10);
    private static final int BANDWIDTH_COLUMNS = 5;

    /** What a C tool says when it could not find out how fast its clock is: it then prints zeros and "-nan". */
    private static final String UNKNOWN_CLOCK = "Correlation coefficient r^2";

    /** A virtual CPU can stall for long: 18 is a second per retry. */
    private static final List<String> PATIENT = List.of("-F", "-u", "18");

    /** What only ours know: nothing is compiled first, and no wait outlives the cell. */
    private static final List<String> OURS = List.of("--no-warm-up", "--timeout=60", "--run-timeout=60");

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.github.rdma4j.perftest.interop.Cells#all")
    void bothSidesReport(Cell cell) throws Exception {
        Row row = cell.row();
        int port = Listening.freePort();
        long deadline = System.nanoTime() + LIMIT.toNanos();
        try (Side server = start(row, cell.server(), port, List.of())) {
            while (!Listening.on(port, row.meetsByRdmaCm())) {
                Integer ended = server.await(POLL);
                assertThat(ended)
                        .as("%s: the server ended before it listened:\n%s", cell, server.output())
                        .isNull();
                assertThat(System.nanoTime() - deadline)
                        .as("%s: the server does not listen:\n%s", cell, server.output())
                        .isNegative();
            }
            String host = row.meetsByRdmaCm() ? RdmaAddress.ofFirstDevice() : "localhost";
            try (Side client = start(row, cell.client(), port, List.of(host))) {
                Integer clientStatus = client.await(rest(deadline));
                Integer serverStatus = server.await(rest(deadline));
                String both = both(cell, client, server);
                assertThat(clientStatus).as("status of the client; %s", both).isEqualTo(0);
                assertThat(serverStatus).as("status of the server; %s", both).isEqualTo(0);
                assertRows(client.output(), row.clientRows(), "client; " + both);
                assertRows(server.output(), row.serverRows(), "server; " + both);
            }
        }
    }

    private static Side start(Row row, Peer peer, int port, List<String> host) throws IOException {
        List<String> arguments = new ArrayList<>();
        arguments.add(peer.command(row.tool()));
        arguments.addAll(PATIENT);
        arguments.addAll(List.of(row.options().split(" +")));
        arguments.addAll(List.of("-p", Integer.toString(port)));
        if (peer == Peer.JAVA) {
            arguments.addAll(OURS);
        }
        arguments.addAll(host);
        return peer == Peer.JAVA ? new JavaSide(arguments) : new ProcessSide(arguments);
    }

    private static Duration rest(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    private static String both(Cell cell, Side client, Side server) throws IOException {
        return cell + " (null: not ended in time)\n--- client:\n" + client.output() + "\n--- server:\n"
                + server.output();
    }

    /** Results are lines of numbers that are all above zero, but for the peak of a timed run and deviations. */
    private static void assertRows(String output, int expected, String description) {
        List<double[]> rows = output.lines()
                .filter(line -> line.matches(" \\d+ .*\\d\\.\\d.*"))
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
        return text.endsWith("nan") ? Double.NaN : Double.parseDouble(text);
    }
}
