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
import java.util.function.Function;

/** The numbers of the charts, and the settings, as tables. */
final class Tables {
    /** With fewer samples beyond it a percentile is chance; as rdma4j's tools warn. */
    private static final int ENOUGH_BEYOND = 10;

    private static final int RATIO_DECIMALS = 3;
    private static final long MIDDLE_SIZE = 4096;
    private static final String PERCENTILE = "percentile_";
    private static final Map<String, String> LATENCIES = latencies();

    private Tables() {}

    /** The headings of the latencies, in their order. */
    private static Map<String, String> latencies() {
        Map<String, String> columns = new LinkedHashMap<>();
        columns.put("t_min", "Min");
        columns.put("t_typical", "Median");
        columns.put("t_avg", "Mean");
        columns.put("t_stdev", "Std. dev.");
        for (String percent : List.of("90", "99", "99.9", "99.99", "99.999")) {
            columns.put(PERCENTILE + percent, percent + " %");
        }
        columns.put("t_max", "Max");
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
                    table.row().text(Figures.size(size) + ": " + label(metric));
                    int decimals = Figures.decimals(
                            metric, results.values().stream().mapToDouble(result -> result.metric(metric)));
                    names.keySet().forEach(name -> {
                        Result result = results.get(name);
                        table.number(Figures.number(result == null ? Double.NaN : result.metric(metric), decimals));
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

    /** Returns all sizes if they are few, otherwise the ends and some in the middle. */
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
        Table all = allSamples(chapter);
        if (!all.isEmpty()) {
            tables.add(all);
        }
        Table rounds = rounds(chapter);
        if (!rounds.isEmpty()) {
            tables.add(rounds);
        }
        return tables;
    }

    private static Table latency(Chapter chapter) {
        boolean compared = isCompared(chapter);
        boolean cpu = chapter.has(Metric.CPU);
        List<String> more = new ArrayList<>();
        if (cpu) {
            more.add("CPU µs/msg>");
        }
        if (compared) {
            more.add(chapter.principal().title() + " ÷ C>");
        }
        List<Result> results = results(chapter);
        boolean medians = results.stream().anyMatch(Result::isMedianOfRounds);
        boolean mixed = medians && !results.stream().allMatch(Result::isMedianOfRounds);
        String what = !medians ? "" : mixed ? "; of several rounds, their median" : ": medians of the rounds";
        List<String> keys = keys(results, Result::ofRow);
        Table table = new Table(latencyCaption(chapter) + what, latencyColumns(keys, more));
        forAll(chapter, (size, line, result) -> {
            latencyRow(table, result, line, result.samplesOfRow());
            latencies(table, keys, result.ofRow(), result.samplesOfRow());
            end(table, chapter, line, size, cpu, compared);
        });
        return table;
    }

    /** The samples of all rounds together, where the other table has the medians of the rounds. */
    private static Table allSamples(Chapter chapter) {
        List<String> keys =
                keys(results(chapter).stream().filter(Result::isMedianOfRounds).toList(), Result::allSamples);
        Table table = new Table(
                latencyCaption(chapter) + ": the samples of all rounds together", latencyColumns(keys, List.of()));
        forAll(chapter, (size, line, result) -> {
            if (result.isMedianOfRounds() && !result.allSamples().isEmpty()) {
                long samples = result.percentiles().samples();
                latencyRow(table, result, line, samples);
                latencies(table, keys, result.allSamples(), samples);
            }
        });
        return table;
    }

    private static String latencyCaption(Chapter chapter) {
        return "Latency in µs (" + (chapter.isRoundTrip() ? "to the answer" : "half of a round trip") + ")";
    }

    private static List<Result> results(Chapter chapter) {
        return chapter.series().stream()
                .flatMap(line -> line.results().values().stream())
                .toList();
    }

    /** The latencies that at least one row has. */
    private static List<String> keys(List<Result> results, Function<Result, Map<String, Double>> figures) {
        return LATENCIES.keySet().stream()
                .filter(key -> results.stream()
                        .anyMatch(result -> figures.apply(result).containsKey(key)))
                .toList();
    }

    private static List<String> latencyColumns(List<String> keys, List<String> more) {
        List<String> columns = new ArrayList<>(List.of("Size>", "Series", "Samples>"));
        keys.forEach(key -> columns.add(LATENCIES.get(key) + ">"));
        columns.addAll(more);
        return columns;
    }

    private static void latencyRow(Table table, Result result, Series line, long samples) {
        table.row()
                .number(Figures.size(result.size()))
                .series(line.name(), line.party())
                .number(samples == 0 ? "–" : Figures.number(samples, 0));
    }

    private static void latencies(Table table, List<String> keys, Map<String, Double> figures, long samples) {
        for (String key : keys) {
            double value = figures.getOrDefault(key, Double.NaN);
            double percent = key.startsWith(PERCENTILE) ? Double.parseDouble(key.substring(PERCENTILE.length())) : 0;
            if (Double.isFinite(value) && percent > 0 && samples * (1 - percent / 100) < ENOUGH_BEYOND - 1e-6) {
                table.weak(Metric.MEDIAN, value);
            } else {
                table.figure(Metric.MEDIAN, value);
            }
        }
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
                    .figure(Metric.BANDWIDTH, average)
                    .number(Figures.number(average * (1 << 20) * 8 / 1e9, 3))
                    .figure(Metric.PEAK, result.metric(Metric.PEAK))
                    .figure(Metric.RATE, result.metric(Metric.RATE));
            end(table, chapter, line, size, cpu, compared);
        });
        return table;
    }

    private static void end(Table table, Chapter chapter, Series line, long size, boolean cpu, boolean compared) {
        if (cpu) {
            table.figure(Metric.CPU, chapter.at(line, size, Metric.CPU));
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
                List.of("Size>", "Series", "Rounds>", "Best>", "Median>", "Worst>", "Worst ÷ best>"));
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
                    .number(Figures.size(result.size()))
                    .series(line.name(), line.party())
                    .number(Integer.toString(values.length))
                    .figure(metric, best)
                    .figure(metric, median)
                    .figure(metric, worst)
                    .number(Figures.number(worst / best, RATIO_DECIMALS));
        });
        return table;
    }

    /** Creates a row. */
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
