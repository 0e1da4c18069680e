// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.print;

import io.github.rdma4j.perftest.figures.SampleTimes;
import io.github.rdma4j.perftest.options.FigureOptions;
import io.github.rdma4j.perftest.options.Output;
import io.github.rdma4j.perftest.options.Verb;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.LatencyResult;
import io.github.rdma4j.perftest.result.Observation;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.RunListener;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.wire.PeerKeys;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Prints a test as it proceeds, in the lines of the C tools: banner, addresses, table, and on a terminal the progress
 * of a run. The lines of our own options (--details, --rounds, --rate) are below the table. With --output, it prints
 * only the one number.
 */
public final class ConsoleReport implements RunListener {
    private final PrintStream out;
    private final ProgressLine progress;
    private final Output output;
    private final List<SizeResult> results = new ArrayList<>();
    private String heading = "";
    private FigureOptions figures;
    private boolean withCpu;
    private int duration;
    private Observation seen;
    private Verb verb;
    private volatile boolean silent;

    /**
     * @param out standard output
     * @param terminal where to show progress; null to show none
     * @param output the figure to print; null for the whole report
     */
    public ConsoleReport(PrintStream out, PrintStream terminal, Output output) {
        this.out = out;
        this.progress = new ProgressLine(terminal);
        this.output = output;
    }

    @Override
    public void waiting(int port) {
        report(Banner.waiting());
    }

    @Override
    public void agreed(RunInfo info) {
        verb = info.parameters().tool().verb();
        report(Banner.of(info));
    }

    @Override
    public void address(boolean local, PeerKeys keys) {
        report(Banner.address(verb, local, keys));
    }

    @Override
    public void begin(RunInfo info) {
        withCpu = info.parameters().placement().cpuUtilisation();
        figures = info.parameters().figures();
        duration = info.parameters().workload().durationSeconds();
        // The server of a latency test that only serves learns no figures.
        boolean figuresFollow =
                info.parameters().sends() || !info.parameters().tool().isLatency();
        heading = figuresFollow ? Banner.LINE + "\n" + ResultTable.heading(info.parameters()) : "";
        report(heading);
    }

    @Override
    public void progress(long size, long messages, long total, long elapsedNanoseconds) {
        progress.show(size, messages, total, duration, elapsedNanoseconds);
    }

    @Override
    public void observed(Observation observation) {
        seen = observation;
    }

    @Override
    public void result(SizeResult result) {
        progress.clear();
        results.add(result);
        if (result instanceof LatencyResult latency && latency.times() != null) {
            list(latency.times());
        }
        if (output == null) {
            report(seen == null ? ResultTable.row(result, scale()) : ResultTable.row(result, scale(), seen, withCpu));
        } else {
            print(String.format(Locale.ROOT, "%f%n", ResultTable.number(result, output, scale())));
        }
    }

    private double scale() {
        return figures.cyclesPerMicrosecond() > 0 ? figures.cyclesPerMicrosecond() : 1;
    }

    /** As in the C tools, the lists are between the heading and the row, and the heading is repeated. */
    private void list(SampleTimes times) {
        if (figures.unsortedTimes()) {
            print(TimeList.of(times, figures.cyclesPerMicrosecond()));
        }
        if (figures.sortedTimes()) {
            print(TimeList.of(times.sorted(), figures.cyclesPerMicrosecond()));
        }
        report(heading);
    }

    @Override
    public void end() {
        if (figures.both() && output == null) {
            direction("Local", BandwidthResult::local);
            direction("Remote", BandwidthResult::remote);
        }
        report(Banner.LINE + "\n");
        report(details());
    }

    private void direction(String name, Function<BandwidthResult, BandwidthResult> part) {
        StringBuilder text = new StringBuilder(Banner.LINE + "\n\n " + name + " results: \n" + heading);
        for (SizeResult result : results) {
            BandwidthResult direction = part.apply((BandwidthResult) result);
            // The CPUs are observed in a timed run, which has one result.
            text.append(
                    withCpu
                            ? ResultTable.row(direction, 1, new Observation(seen.cpuUtilisation(), Map.of()), true)
                            : ResultTable.row(direction));
        }
        print(text.toString());
    }

    private String details() {
        LatencyDetails latencies = new LatencyDetails();
        StringBuilder others = new StringBuilder();
        boolean any = false;
        for (SizeResult result : results) {
            if (figures.details() && result.latency() != null) {
                latencies.add(result.size(), result.latency());
                any = true;
            }
            others.append(RoundLines.spread(result)).append(RoundLines.pace(result));
        }
        return (any ? latencies.text() : "") + others;
    }

    /** Stops printing: a signal ends the process, and later results are in no file. */
    public void silence() {
        silent = true;
    }

    /** Clears the progress line, so that a message can follow. */
    public void interrupted() {
        progress.clear();
    }

    private void report(String text) {
        if (output == null) {
            print(text);
        }
    }

    private void print(String text) {
        if (!silent) {
            out.print(text);
            out.flush();
        }
    }
}
