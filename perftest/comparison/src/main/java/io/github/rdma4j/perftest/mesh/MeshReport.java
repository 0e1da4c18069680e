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
import java.util.Locale;
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
        report.map(Probe.LATENCY);
        report.map(Probe.BANDWIDTH);
        if (result.hasGpuFigures()) {
            report.map(Probe.GPU_LATENCY);
            report.map(Probe.GPU_BANDWIDTH);
        }
        report.findings(findings);
        return report.text.toString();
    }

    private void heading() {
        int hosts = result.hosts().size();
        long measured =
                result.pairs().stream().filter(pair -> pair.failure() == null).count();
        text.line(String.format(
                Locale.ROOT,
                "rdma4j mesh: %d hosts (%s), %d of %d pairs measured in %.0f s%s",
                hosts,
                result.launcher(),
                measured,
                hosts * (hosts - 1) / 2,
                result.seconds(),
                result.state() == RunState.COMPLETE ? "" : "; it was ended by a signal"));
    }

    private String title(Probe probe) {
        String key = probe.key().substring(0, 1).toUpperCase(Locale.ROOT)
                + probe.key().substring(1);
        return key
                + (probe.tool().isLatency()
                        ? " [usec]: ib_write_lat, " + result.plan().latencySize() + " bytes, half a round trip"
                        : " [MiB/s]: ib_write_bw, " + result.plan().bandwidthSize() + " bytes, from row to column")
                + (probe.isGpu()
                        ? ", path: "
                                + result.hosts().stream()
                                        .filter(MeshResult.Host::hasGpu)
                                        .map(host -> host.gpu().path())
                                        .distinct()
                                        .collect(Collectors.joining(" and "))
                        : "");
    }

    private double figure(int from, int to, Probe probe) {
        PairResult pair = pairs.get(Pair.of(from, to));
        if (pair == null || from == to) {
            return Double.NaN;
        }
        return pair.median(from < to ? probe : probe.reverse());
    }

    private void map(Probe probe) {
        int n = result.hosts().size();
        MedianInterval median = MedianInterval.of(result.pairs().stream()
                .flatMap(pair -> probe.directions().stream().map(pair::median))
                .filter(figure -> !Double.isNaN(figure))
                .mapToDouble(Double::doubleValue)
                .toArray());
        text.line("");
        text.line(title(probe) + "; median " + HeatScale.number(median.median())
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
                            .map(column -> String.format(Locale.ROOT, "%8d ", column))
                            .collect(Collectors.joining()));
        }
        for (int from = 0; from < n; from++) {
            String name = result.hosts().get(from).name();
            StringBuilder row = new StringBuilder(String.format(
                    Locale.ROOT,
                    "%3d %-" + width + "s ",
                    from,
                    name.substring(0, Math.min(LONGEST_NAME, name.length()))));
            for (int to = 0; to < n; to++) {
                row.append(cell(from, to, probe, numbers, median.median()));
            }
            text.line(row.toString().stripTrailing());
        }
    }

    private String cell(int from, int to, Probe probe, boolean numbers, double median) {
        double figure = figure(from, to, probe);
        if (Double.isNaN(figure)) {
            PairResult pair = pairs.get(Pair.of(from, to));
            String mark = pair != null && pair.failure() != null && from != to ? FAILED : " ";
            return numbers ? "%8s ".formatted(mark) : mark;
        }
        String shade = SHADES[HeatScale.step(probe.tool().isLatency() ? figure / median : median / figure)];
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
