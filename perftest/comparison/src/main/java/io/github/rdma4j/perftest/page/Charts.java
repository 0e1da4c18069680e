// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Which charts a chapter gets. */
final class Charts {
    private static final int ENOUGH_FOR_A_LINE = 3;

    /** The value by which panels differ. */
    private static final String CHOICE = "Message size";

    private Charts() {}

    /** The charts of a chapter, in the order of their display. */
    static List<Chart> of(Chapter chapter) {
        return of(chapter, List.of());
    }

    /**
     * The charts of a chapter, in the order of their display.
     *
     * @param guides of the chart of bandwidth
     */
    static List<Chart> of(Chapter chapter, List<Chart.Guide> guides) {
        List<Chart> charts = new ArrayList<>();
        if (chapter.isCollective()) {
            overSizes(chapter, "Bandwidth", List.of(Metric.BUS_BANDWIDTH, Metric.ALGORITHM_BANDWIDTH), charts);
            overSizes(chapter, "Time of an operation", List.of(Metric.OPERATION), charts);
        } else if (chapter.latency()) {
            percentiles(chapter, charts);
            overSizes(
                    chapter,
                    "Latency",
                    List.of(Metric.MEDIAN, Metric.MEAN, Metric.PERCENTILE_99, Metric.PERCENTILE_999),
                    charts);
        } else {
            overSizes(chapter, "Bandwidth", List.of(Metric.BANDWIDTH, Metric.PEAK), charts);
            if (!charts.isEmpty()) {
                charts.addLast(charts.removeLast().with(guides));
            }
            overSizes(chapter, "Message rate", List.of(Metric.RATE), charts);
        }
        overSizes(chapter, "CPU time per message", List.of(Metric.CPU, Metric.MACHINE_CPU), charts);
        rounds(chapter, charts);
        return charts;
    }

    private static void percentiles(Chapter chapter, List<Chart> charts) {
        List<Chart.Panel> panels = new ArrayList<>();
        for (long size : chapter.sizes()) {
            List<Chart.Line> lines = curves(chapter, size, Result::percentiles);
            if (lines.isEmpty()) {
                continue;
            }
            panels.add(new Chart.Panel(Figures.size(size), lines));
            boolean allRounds = chapter.series().stream()
                    .map(line -> chapter.at(line, size))
                    .anyMatch(result -> result != null
                            && result.percentiles().complete()
                            && !result.rounds().isEmpty());
            if (allRounds && lines.stream().anyMatch(line -> !line.complete())) {
                panels.add(new Chart.Panel(
                        Figures.size(size) + ", C's columns", curves(chapter, size, Result::ofColumns)));
            }
        }
        if (!panels.isEmpty()) {
            charts.add(new Chart(Chart.Kind.PERCENTILES, "Latency by percentile", "µs", CHOICE, panels));
        }
    }

    private static List<Chart.Line> curves(Chapter chapter, long size, Function<Result, PercentileCurve> curveOf) {
        List<Chart.Line> lines = new ArrayList<>();
        for (Series line : chapter.series()) {
            Result result = chapter.at(line, size);
            PercentileCurve curve = result == null ? PercentileCurve.NONE : curveOf.apply(result);
            if (curve.points().size() > 1) {
                List<double[]> points = curve.points().stream()
                        .map(point -> new double[] {point.tail(), point.microseconds()})
                        .toList();
                lines.add(new Chart.Line(line, line.nameAt(result, size), curve.complete(), points, List.of()));
            }
        }
        return lines;
    }

    private static void overSizes(Chapter chapter, String title, List<Metric> metrics, List<Chart> charts) {
        List<Chart.Panel> panels = new ArrayList<>();
        for (Metric metric : metrics) {
            addPanel(panels, chapter, metric.title(), metric, result -> result.metric(metric));
            if (metric == chapter.principal()) {
                String label = metric.title() + ", best round";
                addPanel(panels, chapter, label, metric, result -> result.best(metric));
            }
        }
        if (panels.isEmpty()) {
            return;
        }
        SortedSet<Long> sizes = chapter.sizes();
        boolean line = sizes.size() >= ENOUGH_FOR_A_LINE;
        if (!line && sizes.size() * chapter.series().size() < 2) {
            return;
        }
        charts.add(new Chart(
                line ? Chart.Kind.SIZES : Chart.Kind.BARS,
                title + (line ? " over message size" : ""),
                metrics.getFirst().unit(),
                "Figure",
                panels));
    }

    private static void addPanel(
            List<Chart.Panel> panels, Chapter chapter, String label, Metric metric, ToDoubleFunction<Result> value) {
        List<Chart.Line> lines = new ArrayList<>();
        for (Series line : chapter.series()) {
            List<double[]> points = new ArrayList<>();
            List<double[]> rounds = new ArrayList<>();
            line.results().forEach((size, result) -> {
                add(points, size, value.applyAsDouble(result));
                result.ofRounds(metric).forEach(round -> add(rounds, size, round));
            });
            if (!points.isEmpty()) {
                lines.add(new Chart.Line(line, line.name(), true, points, rounds));
            }
        }
        if (!lines.isEmpty()) {
            panels.add(new Chart.Panel(label, lines));
        }
    }

    private static void rounds(Chapter chapter, List<Chart> charts) {
        Metric metric = chapter.principal();
        List<Chart.Panel> panels = new ArrayList<>();
        for (long size : chapter.sizes()) {
            List<Chart.Line> lines = new ArrayList<>();
            for (Series line : chapter.series()) {
                Result result = chapter.at(line, size);
                List<Double> values = result == null ? List.of() : result.ofRounds(metric);
                List<double[]> points = new ArrayList<>();
                for (int i = 0; i < values.size(); i++) {
                    add(points, result.roundNumber(i), values.get(i));
                }
                if (points.size() > 1) {
                    lines.add(new Chart.Line(line, line.nameAt(result, size), false, points, List.of()));
                }
            }
            if (!lines.isEmpty()) {
                panels.add(new Chart.Panel(Figures.size(size), lines));
            }
        }
        if (!panels.isEmpty()) {
            charts.add(new Chart(
                    Chart.Kind.ROUNDS,
                    chapter.latency() ? metric.title() + " latency of each round" : "Bandwidth of each round",
                    metric.unit(),
                    CHOICE,
                    panels));
        }
    }

    private static void add(List<double[]> points, double x, double y) {
        if (Double.isFinite(y)) {
            points.add(new double[] {x, y});
        }
    }
}
