// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import io.github.rdma4j.perftest.compare.endpoints.EchoCase;
import io.github.rdma4j.perftest.compare.endpoints.EchoMeasurement;
import io.github.rdma4j.perftest.compare.endpoints.EchoMetric;
import io.github.rdma4j.perftest.compare.endpoints.EchoPlace;
import io.github.rdma4j.perftest.compare.endpoints.EndpointsListener;
import io.github.rdma4j.perftest.compare.endpoints.EndpointsPlan;
import io.github.rdma4j.perftest.compare.endpoints.EndpointsResult;
import io.github.rdma4j.perftest.echo.Transport;
import io.github.rdma4j.perftest.environment.Environment;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Prints a comparison of endpoints with TCP as it proceeds: conditions, a line for each round, and the table. */
public final class EndpointsReport implements EndpointsListener {
    private final PrintStream out;
    private final Progress progress;

    /**
     * @param out receives the text, flushed line by line
     * @param progress receives each step
     */
    public EndpointsReport(PrintStream out, Progress progress) {
        this.out = out;
        this.progress = progress;
    }

    /** Prints the plan and the conditions. */
    public void begin(EndpointsPlan plan, EchoPlace place) {
        line(
                "rdma4j compare --endpoints: requests and echoes at fixed rates, endpoints and plain TCP in turn, both"
                        + " ends on this machine, %s of %d s",
                plural(plan.rounds(), "round"), plan.seconds());
        Environment machine = place.environment();
        line(
                " device  %s port %d (%s), MTU %d, at %s",
                machine.device(),
                machine.devicePort(),
                machine.softwareDevice() ? "a software device" : "firmware " + machine.firmware(),
                machine.activeMtu(),
                place.address());
        line(" machine %s, %s, %s", machine.kernel(), machine.architecture(), plural(machine.processors(), "CPU"));
        line(
                " Java    rdma4j %s; %s%s",
                machine.rdma4j(),
                machine.jvm(),
                machine.jvmFlags().isEmpty() ? "" : ", " + String.join(" ", machine.jvmFlags()));
        line(" sides   a process each, one thread for all connections: EndpointSelector, java.nio Selector,"
                + " TCP_NODELAY");
        if (machine.processors() == 1) {
            line(" warning: with one CPU the client, which spins, takes the server's time");
        }
        if (!plan.warmUp()) {
            line(" warning: --no-warm-up, the figures are of code not yet compiled");
        }
    }

    @Override
    public void step(String what) {
        progress.step(what);
    }

    @Override
    public void opened(int size, int connections, Map<Transport, Double> perSecond) {
        line("");
        line(
                "%d bytes, %s%s",
                size,
                plural(connections, "connection"),
                perSecond.isEmpty()
                        ? ""
                        : ", without a pause: "
                                + perSecond.entrySet().stream()
                                        .map(one -> String.format(
                                                Locale.ROOT,
                                                "%s %.0f msg/s",
                                                one.getKey().title(),
                                                one.getValue()))
                                        .collect(Collectors.joining(", ")));
    }

    @Override
    public void measured(EchoCase test, int round, Map<Transport, EchoMeasurement> measurements) {
        String figures = measurements.entrySet().stream()
                .map(one -> String.format(
                        Locale.ROOT,
                        "%s %.0f msg/s, p50 %.1f, p99 %.1f usec%s",
                        one.getKey().title(),
                        one.getValue().perSecond(),
                        EchoMetric.MEDIAN.of(one.getValue()),
                        EchoMetric.PERCENTILE_99.of(one.getValue()),
                        one.getValue().moves() == 0
                                ? ""
                                : ", moved " + one.getValue().moves() + " times"))
                .collect(Collectors.joining("; "));
        line(" round %d, %.0f msg/s: %s", round, test.rate(), figures);
    }

    /** Prints the table. */
    public void end(EndpointsResult result) {
        line("");
        out.print(EndpointsTable.of(result));
        line("%.0f s in all", result.seconds());
    }

    /** Prints the table of the results before the failure. */
    public void broken(EndpointsResult result) {
        line("");
        line("Measured before the end (%s):", result.state().key());
        out.print(EndpointsTable.of(result));
    }

    /** Prints the path of the document. */
    public void written(Path file) {
        line("The figures are in %s", file);
    }

    private static String plural(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    private void line(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
        out.flush();
        progress.printed();
    }
}
