// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.figures.HeatScale;
import io.github.rdma4j.perftest.figures.MedianInterval;
import io.github.rdma4j.perftest.findings.Paragraphs;
import io.github.rdma4j.perftest.mesh.Rounds.Pair;
import io.github.rdma4j.perftest.result.RunState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Formats the report of a mesh for a terminal: heat maps and findings. */
final class MeshReport {
    /** The numbers of more hosts do not fit into a line. */
    private static final int MOST_COLUMNS = 10;

    private static final int LONGEST_NAME = 24;

    private static final String[] SHADES = {"·", "░", "▒", "█"};
    private static final String FAILED = "x";

    private final MeshResult result;
    private final Map<Pair, PairResult> pairs = new HashMap<>();
    private final Paragraphs text = new Paragraphs();

    private MeshReport(MeshResult result) {
        this.result = result;
        result.pairs().forEach(each -> pairs.put(each.pair(), each));
    }

    /** Returns the report. */
    static String of(MeshResult result, List<MeshFinding> findings) {
        MeshReport report = new MeshReport(result);
        report.heading();
        report.map("Latency [usec]: ib_write_lat, " + result.plan().latencySize() + " bytes, half a round trip", true);
        report.map(
                "Bandwidth [MiB/s]: ib_write_bw, " + result.plan().bandwidthSize() + " bytes, from row to column",
                false);
        report.findings(findings);
        return report.text.toString();
    }

    private void heading() {
        int hosts = result.hosts().size();
        long measured =
                result.pairs().stream().filter(pair -> pair.failure() == null).count();
        text.line("rdma4j mesh: %d hosts (%s), %d of %d pairs measured in %.0f s%s"
                .formatted(
                        hosts,
                        result.launcher(),
                        measured,
                        hosts * (hosts - 1) / 2,
                        result.seconds(),
                        result.state() == RunState.COMPLETE ? "" : "; it was ended by a signal"));
    }

    private double figure(int from, int to, boolean latency) {
        PairResult pair = pairs.get(Pair.of(from, to));
        if (pair == null || from == to) {
            return Double.NaN;
        }
        return pair.median(latency ? Probe.LATENCY : from < to ? Probe.BANDWIDTH : Probe.BANDWIDTH_BACK);
    }

    private void map(String title, boolean latency) {
        int n = result.hosts().size();
        MedianInterval median = MedianInterval.of(result.pairs().stream()
                .flatMap(pair -> latency
                        ? Stream.of(pair.median(Probe.LATENCY))
                        : Stream.of(pair.median(Probe.BANDWIDTH), pair.median(Probe.BANDWIDTH_BACK)))
                .filter(figure -> !Double.isNaN(figure))
                .mapToDouble(Double::doubleValue)
                .toArray());
        text.line("");
        text.line(title + "; median " + HeatScale.number(median.median())
                + (median.isBounded()
                        ? ", 95 %% interval %s to %s"
                                .formatted(HeatScale.number(median.low()), HeatScale.number(median.high()))
                        : ""));
        boolean numbers = n <= MOST_COLUMNS;
        int width = result.hosts().stream()
                .mapToInt(host -> Math.min(LONGEST_NAME, host.name().length()))
                .max()
                .orElse(0);
        if (numbers) {
            text.line(" ".repeat(width + 5)
                    + Stream.iterate(0, i -> i < n, i -> i + 1)
                            .map("%8d "::formatted)
                            .collect(Collectors.joining()));
        }
        for (int from = 0; from < n; from++) {
            String name = result.hosts().get(from).name();
            StringBuilder row = new StringBuilder(("%3d %-" + width + "s ")
                    .formatted(from, name.substring(0, Math.min(LONGEST_NAME, name.length()))));
            for (int to = 0; to < n; to++) {
                row.append(cell(from, to, latency, numbers, median.median()));
            }
            text.line(row.toString().stripTrailing());
        }
    }

    private String cell(int from, int to, boolean latency, boolean numbers, double median) {
        double figure = figure(from, to, latency);
        if (Double.isNaN(figure)) {
            PairResult pair = pairs.get(Pair.of(from, to));
            String mark = pair != null && pair.failure() != null && from != to ? FAILED : " ";
            return numbers ? "%8s ".formatted(mark) : mark;
        }
        String shade = SHADES[HeatScale.step(latency ? figure / median : median / figure)];
        return numbers ? "%8s%s".formatted(HeatScale.number(figure), shade) : shade;
    }

    private void findings(List<MeshFinding> findings) {
        text.line("");
        text.line("%s at most %s times as bad as the median, %s %s, %s %s, %s more; %s not measured: it failed"
                .formatted(
                        SHADES[0],
                        HeatScale.LIMITS.get(0),
                        SHADES[1],
                        HeatScale.LIMITS.get(1),
                        SHADES[2],
                        HeatScale.LIMITS.get(2),
                        SHADES[3],
                        FAILED));
        text.line("");
        if (findings.isEmpty()) {
            text.line("No host and no link stands out.");
            return;
        }
        for (MeshFinding finding : findings) {
            text.entry("- ", finding.text() + ".");
            if (!finding.remedy().isEmpty()) {
                text.entry("    ", finding.remedy());
            }
        }
    }
}
