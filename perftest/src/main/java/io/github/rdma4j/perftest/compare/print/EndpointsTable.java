// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import io.github.rdma4j.perftest.compare.endpoints.EchoCase;
import io.github.rdma4j.perftest.compare.endpoints.EchoMeasurement;
import io.github.rdma4j.perftest.compare.endpoints.EchoMetric;
import io.github.rdma4j.perftest.compare.endpoints.EchoResult;
import io.github.rdma4j.perftest.compare.endpoints.EndpointsResult;
import io.github.rdma4j.perftest.echo.Transport;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.figures.Spread;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A comparison of endpoints with TCP as text, with an explanation. */
final class EndpointsTable {
    private static final String LINE = "%7s %5s %9s  %-10s %9s  %9s %-19s %9s %-19s %8s %8s%n";
    private static final double NANOSECONDS = 1e3;

    private EndpointsTable() {}

    /**
     * Returns the table: a heading, the lines of each case, and an explanation of the columns.
     *
     * @param result with at least one case
     */
    static String of(EndpointsResult result) {
        StringBuilder text = new StringBuilder(
                        line("", "", "offered", "", "reached", "p50", "", "p99", "", "CPU of", "server"))
                .append(line(
                        "bytes", "conns", "msg/s", "", "msg/s", "[usec]", "rounds", "[usec]", "rounds", "user",
                        "system"));
        result.results().forEach(one -> append(text, one));
        return text.append(meaning(result)).toString();
    }

    private static void append(StringBuilder text, EchoResult result) {
        EchoCase test = result.test();
        boolean first = true;
        for (Transport transport : result.transports()) {
            Spread median = result.spread(transport, EchoMetric.MEDIAN);
            Spread tail = result.spread(transport, EchoMetric.PERCENTILE_99);
            text.append(line(
                    first ? Integer.toString(test.size()) : "",
                    first ? Integer.toString(test.connections()) : "",
                    first ? number(test.rate(), 0) : "",
                    transport.title(),
                    number(middle(result, transport, EchoMetric.REACHED), 0),
                    number(median.median(), 1),
                    range(median),
                    number(tail.median(), 1),
                    range(tail),
                    number(middle(result, transport, EchoMetric.SERVER_USER) / NANOSECONDS, 1),
                    number(middle(result, transport, EchoMetric.SERVER_SYSTEM) / NANOSECONDS, 1)));
            first = false;
        }
        result.transports().stream()
                .filter(Transport::isOfEndpoints)
                .forEach(transport -> text.append(line(
                        "",
                        "",
                        "ratio",
                        transport.title(),
                        ratio(result, transport, EchoMetric.REACHED),
                        ratio(result, transport, EchoMetric.MEDIAN),
                        "",
                        ratio(result, transport, EchoMetric.PERCENTILE_99),
                        "",
                        ratio(result, transport, EchoMetric.SERVER_USER),
                        ratio(result, transport, EchoMetric.SERVER_SYSTEM))));
    }

    private static double middle(EchoResult result, Transport transport, EchoMetric metric) {
        return result.spread(transport, metric).median();
    }

    private static String ratio(EchoResult result, Transport transport, EchoMetric metric) {
        return number(result.ratio(transport, metric).median(), 2);
    }

    private static String range(Spread spread) {
        return number(spread.minimum(), 1) + " to " + number(spread.maximum(), 1);
    }

    private static String meaning(EndpointsResult result) {
        StringBuilder text = new StringBuilder();
        text.append(legend(result.plan().transports()));
        text.append("Each figure is that of the middle round, beside it the least and the greatest; rounds: ")
                .append(result.results().getFirst().rounds().size())
                .append(". ratio: the middle one of each round's own figure / plain TCP's;")
                .append(" below 1 endpoints are faster, or cost less.\n");
        text.append("p50, p99: from the time at which a message was due to its echo, a late sender and a full queue"
                + " included. Messages are due at equal distances.\n");
        text.append("CPU: microseconds of a message in the server's process, outside and inside the kernel, which"
                + " divides them by what it finds at its clock's ticks. The client spins between messages: its time is"
                + " in the document only.\n");
        Environment machine = result.place().environment();
        if (machine.softwareDevice()) {
            text.append(machine.device())
                    .append(" has no hardware: the kernel does the adapter's work, packets, checksums and copies, in"
                            + " system time of both processes. Endpoints pay it here and not on an adapter; TCP"
                            + " pays its own everywhere. User time is what endpoints cost on an adapter,"
                            + " too.\n");
        }
        boolean few = result.results().stream()
                .flatMap(one -> one.rounds().stream())
                .flatMap(round -> round.values().stream())
                .anyMatch(one -> !one.latency().isTrustworthy(99));
        int moves = result.results().stream()
                .flatMap(one -> one.rounds().stream())
                .flatMap(round -> round.values().stream())
                .mapToInt(EchoMeasurement::moves)
                .sum();
        if (moves > 0) {
            text.append("Endpoints with failover have moved ")
                    .append(moves)
                    .append(" times between RDMA and TCP while they were measured: their figures are of both.\n");
        }
        if (few) {
            text.append("Some p99 rest on fewer than ")
                    .append(LatencyFigures.ENOUGH_BEYOND)
                    .append(" messages beyond it: they are chance. More --seconds help.\n");
        }
        return text.toString();
    }

    private static String legend(List<Transport> transports) {
        return transports.stream()
                .map(transport -> transport.title() + ": "
                        + switch (transport) {
                            case ENDPOINT -> "endpoints over RDMA";
                            case ENDPOINT_SUMS -> "the same with a CRC32C of each message";
                            case ENDPOINT_FAILOVER -> "endpoints over RDMA with TCP behind it";
                            case ENDPOINT_TCP -> "endpoints over TCP";
                            case TCP -> "java.nio, no endpoints";
                        })
                .collect(Collectors.joining("; ", "", ".\n"));
    }

    private static String line(Object... values) {
        return String.format(Locale.ROOT, LINE, values).stripTrailing() + System.lineSeparator();
    }

    private static String number(double value, int decimals) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
