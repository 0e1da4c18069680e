// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import io.github.rdma4j.perftest.figures.MedianInterval;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;

/** The numbers of the charts, and the settings, as tables. */
final class Tables {
    /** With fewer samples beyond it a percentile is chance; as rdma4j's tools warn. */
    private static final int ENOUGH_BEYOND = 10;

    private static final int RATIO_DECIMALS = 3;
    private static final long MIDDLE_SIZE = 4096;
    private static final Map<String, Double> PERCENTILES = percentiles();

    private Tables() {}

    private static Map<String, Double> percentiles() {
        Map<String, Double> columns = new LinkedHashMap<>();
        columns.put("percentile_90", 90.0);
        columns.put("percentile_99", 99.0);
        columns.put("percentile_99.9", 99.9);
        columns.put("percentile_99.99", 99.99);
        columns.put("percentile_99.999", 99.999);
        return columns;
    }

    /** The principal figures of all chapters. */
    static Table glance(List<Chapter> chapters) {
        Map<String, Party> names = new LinkedHashMap<>();
        chapters.stream()
                .flatMap(chapter -> chapter.series().stream())
                .sorted(Comparator.comparing(Series::party))
                .forEach(line -> names.put(line.name(), line.party()));
        boolean alone = names.size() == Set.copyOf(names.values()).size();
        boolean both = alone && names.values().containsAll(List.of(Party.JAVA, Party.C));
        List<String> endpoints = names.get(Party.TCP_JAVA.title()) == Party.TCP_JAVA
                ? names.keySet().stream()
                        .filter(name -> names.get(name) == Party.ENDPOINT)
                        .toList()
                : List.of();
        boolean tcp = alone && names.values().containsAll(List.of(Party.JAVA, Party.TCP_JAVA));
        List<String> columns = new ArrayList<>(List.of("Figure"));
        names.keySet().forEach(name -> columns.add(name + ">"));
        if (both) {
            columns.add("Java ÷ C>");
            columns.add("95 % interval>");
        }
        if (tcp) {
            columns.add("TCP Java ÷ Java>");
        }
        endpoints.forEach(name -> columns.add(name + " ÷ TCP>"));
        Table table = new Table("Latency and CPU time: less is better. Bandwidth: more is better.", columns);
        for (Chapter chapter : chapters) {
            table.group(chapter.title());
            for (long size : glanceSizes(chapter.sizes())) {
                for (Metric metric : chapter.atAGlance()) {
                    if (!chapter.has(metric)) {
                        continue;
                    }
                    Map<String, Result> results = new HashMap<>();
                    for (Series line : chapter.series()) {
                        Result result = chapter.at(line, size);
                        if (result != null) {
                            results.put(line.name(), result);
                        }
                    }
                    table.row().text(chapter.label(size) + ": " + label(metric));
                    names.keySet().forEach(name -> {
                        Result result = results.get(name);
                        table.number(Figures.of(metric, result == null ? Double.NaN : result.metric(metric)));
                    });
                    if (both) {
                        MedianInterval ratio = ratio(results, Party.JAVA.title(), Party.C.title(), metric);
                        table.number(Figures.number(ratio.median(), RATIO_DECIMALS));
                        table.number(interval(ratio));
                    }
                    if (tcp) {
                        MedianInterval ratio = ratio(results, Party.TCP_JAVA.title(), Party.JAVA.title(), metric);
                        table.number(Figures.number(ratio.median(), RATIO_DECIMALS));
                    }
                    endpoints.forEach(name -> {
                        MedianInterval ratio = ratio(results, name, Party.TCP_JAVA.title(), metric);
                        table.number(Figures.number(ratio.median(), RATIO_DECIMALS));
                    });
                }
            }
        }
        return table;
    }

    private static String label(Metric metric) {
        return switch (metric) {
            case MEDIAN, MEAN, PERCENTILE_99 -> metric.title().toLowerCase(Locale.ROOT) + " latency, " + metric.unit();
            case BUS_BANDWIDTH, ALGORITHM_BANDWIDTH, OPERATION ->
                metric.title().toLowerCase(Locale.ROOT) + ", " + metric.unit();
            case CPU -> "CPU per message, " + metric.unit();
            case SERVER_USER -> "CPU of the server per message, user, " + metric.unit();
            case SERVER_SYSTEM -> "CPU of the server per message, system, " + metric.unit();
            default -> metric.title().toLowerCase(Locale.ROOT) + " bandwidth, " + metric.unit();
        };
    }

    private static MedianInterval ratio(Map<String, Result> results, String name, String reference, Metric metric) {
        Result one = results.get(name);
        Result other = results.get(reference);
        return one == null || other == null ? MedianInterval.of() : one.ratio(other, metric);
    }

    private static String interval(MedianInterval ratio) {
        return ratio.isBounded()
                ? Figures.number(ratio.low(), RATIO_DECIMALS) + " to " + Figures.number(ratio.high(), RATIO_DECIMALS)
                : Figures.number(Double.NaN, RATIO_DECIMALS);
    }

    /** All sizes where they are few, else the ends and a middle. */
    private static List<Long> glanceSizes(SortedSet<Long> sizes) {
        return sizes.stream()
                .filter(size -> sizes.size() <= 3
                        || size.equals(sizes.first())
                        || size == MIDDLE_SIZE
                        || size.equals(sizes.last()))
                .toList();
    }

    /** All figures of a chapter. */
    static List<Table> of(Chapter chapter) {
        List<Table> tables = new ArrayList<>();
        if (chapter.isCollective()) {
            tables.addAll(Collectives.of(chapter));
            return tables;
        }
        tables.add(chapter.latency() ? latency(chapter) : bandwidth(chapter));
        Table rounds = rounds(chapter);
        if (!rounds.isEmpty()) {
            tables.add(rounds);
        }
        return tables;
    }

    private static Table latency(Chapter chapter) {
        boolean compared = isCompared(chapter);
        boolean cpu = chapter.has(Metric.CPU);
        boolean rates = chapter.isOverRates();
        List<String> columns = new ArrayList<>(
                List.of(rates ? "Offered>" : "Size>", "Series", "Samples>", "Min>", "Median>", "Mean>"));
        columns.add("Std. dev.>");
        List<String> percentiles = PERCENTILES.keySet().stream()
                .filter(key -> chapter.series().stream()
                        .flatMap(line -> line.results().values().stream())
                        .anyMatch(result -> result.figures().containsKey(key)))
                .toList();
        percentiles.forEach(key -> columns.add(key.replace("percentile_", "") + " %>"));
        columns.add("Max>");
        if (rates) {
            columns.addAll(List.of("Reached/s>", "Server user µs/msg>", "Server system µs/msg>"));
        }
        if (cpu) {
            columns.add("CPU µs/msg>");
        }
        if (compared) {
            columns.add(chapter.principal().title() + " ÷ C>");
        }
        Table table = new Table(
                "Latency in µs (" + (chapter.isRoundTrip() ? "to the answer" : "half of a round trip") + ")", columns);
        forAll(chapter, (size, line, result) -> {
            long samples = result.percentiles().samples();
            table.row()
                    .number(rates ? chapter.label(size) : Figures.size(result.size()))
                    .series(line.name(), line.party())
                    .number(samples == 0 ? "–" : Figures.number(samples, 0));
            for (String key : List.of("t_min", "t_typical", "t_avg", "t_stdev")) {
                table.number(Figures.of(Metric.MEDIAN, result.figure(key)));
            }
            for (String key : percentiles) {
                String text = Figures.of(Metric.MEDIAN, result.figure(key));
                if (samples * (1 - PERCENTILES.get(key) / 100) < ENOUGH_BEYOND - 1e-6
                        && result.figures().containsKey(key)) {
                    table.weak(text);
                } else {
                    table.number(text);
                }
            }
            table.number(Figures.of(Metric.MEDIAN, result.figure("t_max")));
            if (rates) {
                for (Metric metric : List.of(Metric.RATE_REACHED, Metric.SERVER_USER, Metric.SERVER_SYSTEM)) {
                    table.number(Figures.of(metric, result.metric(metric)));
                }
            }
            end(table, chapter, line, size, cpu, compared);
        });
        return table;
    }

    private static Table bandwidth(Chapter chapter) {
        boolean compared = isCompared(chapter);
        boolean cpu = chapter.has(Metric.CPU);
        List<String> columns = new ArrayList<>(List.of(
                "Size>", "Series", "Messages>", "Average MiB/s>", "Average Gb/s>", "Peak MiB/s>", "Messages/s>"));
        if (cpu) {
            columns.add("CPU µs/msg>");
        }
        if (compared) {
            columns.add("Average ÷ C>");
        }
        Table table = new Table("Bandwidth (MiB = 2²⁰ bytes, Gb = 10⁹ bits)", columns);
        forAll(chapter, (size, line, result) -> {
            double average = result.metric(Metric.BANDWIDTH);
            table.row()
                    .number(Figures.size(result.size()))
                    .series(line.name(), line.party())
                    .number(result.iterations() == 0 ? "–" : Figures.number(result.iterations(), 0))
                    .number(Figures.of(Metric.BANDWIDTH, average))
                    .number(Figures.number(average * (1 << 20) * 8 / 1e9, 3))
                    .number(Figures.of(Metric.PEAK, result.metric(Metric.PEAK)))
                    .number(Figures.of(Metric.RATE, result.metric(Metric.RATE)));
            end(table, chapter, line, size, cpu, compared);
        });
        return table;
    }

    private static void end(Table table, Chapter chapter, Series line, long size, boolean cpu, boolean compared) {
        if (cpu) {
            table.number(Figures.of(Metric.CPU, chapter.at(line, size, Metric.CPU)));
        }
        if (compared) {
            Series reference = chapter.reference(line);
            double ratio = reference == null
                    ? Double.NaN
                    : chapter.at(line, size, chapter.principal()) / chapter.at(reference, size, chapter.principal());
            table.number(Figures.number(ratio, RATIO_DECIMALS));
        }
    }

    private static boolean isCompared(Chapter chapter) {
        return chapter.series().stream().anyMatch(line -> chapter.reference(line) != null);
    }

    private static Table rounds(Chapter chapter) {
        Metric metric = chapter.principal();
        Table table = new Table(
                "Spread of the rounds: " + metric.title().toLowerCase(Locale.ROOT) + " of each, in " + metric.unit(),
                List.of(
                        chapter.isOverRates() ? "Offered>" : "Size>",
                        "Series",
                        "Rounds>",
                        "Best>",
                        "Median>",
                        "Worst>",
                        "Worst ÷ best>"));
        forAll(chapter, (size, line, result) -> {
            double[] values = result.ofRounds(metric).stream()
                    .mapToDouble(Double::doubleValue)
                    .filter(Double::isFinite)
                    .sorted()
                    .toArray();
            if (values.length < 2) {
                return;
            }
            double lowest = values[0];
            double highest = values[values.length - 1];
            double best = metric.lowerIsBetter() ? lowest : highest;
            double worst = metric.lowerIsBetter() ? highest : lowest;
            int half = values.length / 2;
            double median = values.length % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
            table.row()
                    .number(chapter.isOverRates() ? chapter.label(size) : Figures.size(result.size()))
                    .series(line.name(), line.party())
                    .number(Integer.toString(values.length))
                    .number(Figures.of(metric, best))
                    .number(Figures.of(metric, median))
                    .number(Figures.of(metric, worst))
                    .number(Figures.number(worst / best, RATIO_DECIMALS));
        });
        return table;
    }

    /** Makes a row. */
    interface RowMaker {
        void row(long size, Series line, Result result);
    }

    /** A row of each size and each series that has it. */
    static void forAll(Chapter chapter, RowMaker maker) {
        for (long size : chapter.sizes()) {
            for (Series line : chapter.series()) {
                Result result = chapter.at(line, size);
                if (result != null) {
                    maker.row(size, line, result);
                }
            }
        }
    }
}
