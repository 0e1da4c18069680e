// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import io.github.rdma4j.perftest.exit.Unreadable;
import io.github.rdma4j.perftest.result.PathLimit;
import io.github.rdma4j.perftest.result.RunState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads results documents of a test or of a comparison (docs/results.md), and documents that C's own tools write with
 * {@code --out_json}.
 */
final class ResultsReader {
    /** The beginning of the schema's name, in any version. */
    static final String SCHEMA = "https://rdma4j.github.io/schema/results-";

    /** The newest version that is understood. */
    static final int SCHEMA_VERSION = 1;

    private static final String BANNER = "settings";
    private static final String LIMIT = "path_limit";
    private static final String CHOICES = "choices";
    private static final double NANOSECONDS = 1000;
    private static final String HISTOGRAM = "histogram";
    private static final String OTHER_SCHEMA =
            "rdma4j report reads what --out_json of the rdma4j tools, rdma4j compare and C's tools writes";

    /** The names of figures in our part of a tool's document, and the names of C's tools for them. */
    private static final Map<String, String> OF_C = Map.ofEntries(
            Map.entry("size", "MsgSize"),
            Map.entry("iterations", "n_iterations"),
            Map.entry("unit", "BW_unit"),
            Map.entry("peak", Metric.PEAK.key()),
            Map.entry("average", Metric.BANDWIDTH.key()),
            Map.entry("message_rate", Metric.RATE.key()),
            Map.entry("min", "t_min"),
            Map.entry("max", "t_max"),
            Map.entry("median", Metric.MEDIAN.key()),
            Map.entry("mean", Metric.MEAN.key()),
            Map.entry("stdev", "t_stdev"),
            Map.entry("p99", Metric.PERCENTILE_99.key()),
            Map.entry("p99.9", Metric.PERCENTILE_999.key()),
            Map.entry("transactions_per_second", "tps_average"));

    private ResultsReader() {}

    /**
     * Reads a whole file. It needs up to 1 KiB of memory for each byte of the file, and the memory of a histogram.
     *
     * @throws ReportException when it is missing, cannot be read, is not a results document, or has no results
     */
    static Document read(Path file) {
        JsonObject root;
        try {
            root = JsonTree.read(file);
        } catch (IOException failure) {
            throw new ReportException(Unreadable.sentence(file, failure), "");
        }
        // Our tools write the fields of C's tools, and our own fields in a separate object.
        JsonObject ours = root.object("rdma4j");
        List<ProgramRun> tests = new ArrayList<>();
        if (ours != null) {
            checkSchema(file, ours);
            JsonObject own = ours.object("test");
            if (own == null) {
                throw ours.wrong("test", "is missing");
            }
            Map<String, Object> info = new LinkedHashMap<>(info(root).fields());
            info.putAll(own.fields());
            List<JsonObject> sizes =
                    ours.objects("sizes").stream().map(ResultsReader::ofSize).toList();
            tests.add(test(own.with(info), sizes, true));
            root = ours;
        } else {
            checkSchema(file, root);
            for (JsonObject test : root.has("tests") ? root.objects("tests") : List.of(root)) {
                tests.add(test(info(test), test.objects("results"), root.has("schema")));
            }
        }
        tests.removeIf(test -> test.results().isEmpty());
        String state = state(root);
        if (tests.isEmpty()) {
            throw new ReportException(
                    file + " has no results" + (state.isEmpty() ? "" : ": its state is " + state),
                    "run the test again: nothing was measured before it ended");
        }
        JsonObject environment = root.object("environment");
        return new Document(
                shortName(file),
                root.text("started"),
                root.number("seconds"),
                environment == null ? Map.of() : environment.fields(),
                root.has("comparison"),
                tests,
                state);
    }

    /** Returns how the run ended; empty for a complete run, and for documents without a state. */
    private static String state(JsonObject root) {
        String state = root.text("state");
        if (state == null || state.equals(RunState.COMPLETE.key())) {
            return "";
        }
        String failure = root.text("failure");
        return state + (failure == null ? "" : " (" + failure + ")");
    }

    static void checkSchema(Path file, JsonObject root) {
        Object schema = root.fields().get("schema");
        if (schema == null && root.has("test_info") && root.has("results")) {
            return;
        }
        if (!(schema instanceof String name) || !name.startsWith(SCHEMA)) {
            throw new ReportException(
                    file + " is not a results document: "
                            + (schema == null ? "it has no \"schema\"" : "its \"schema\" is " + Figures.text(schema)),
                    OTHER_SCHEMA);
        }
        long version = root.whole("schema_version");
        if (version > SCHEMA_VERSION) {
            throw new ReportException(
                    file + " has schema_version " + version + "; this rdma4j understands versions up to "
                            + SCHEMA_VERSION,
                    "use the rdma4j that wrote it, or a newer one");
        }
    }

    private static JsonObject info(JsonObject test) {
        JsonObject info = test.object("test_info");
        if (info == null) {
            throw test.wrong("test_info", "is missing");
        }
        return info;
    }

    private static ProgramRun test(JsonObject info, List<JsonObject> sizes, boolean ours) {
        // C's tools do not name themselves. A document without a schema can only be from them.
        String implementation = ours ? info.text("implementation") : null;
        List<Result> results = new ArrayList<>();
        for (JsonObject size : sizes) {
            results.add(result(size));
        }
        Optional<PathLimit> limit = limit(info);
        Map<String, Object> settings = settings(info);
        settings.remove(CHOICES);
        List<Choice> choices = info.objects(CHOICES).stream().map(Choice::of).toList();
        limit.ifPresent(found ->
                settings.put(LIMIT, Figures.number(found.bytesPerSecond() / 1e9, 2) + " GB/s, " + found.link()));
        return new ProgramRun(
                tool(info), Party.of(implementation), implementation, settings, periods(results), limit, choices);
    }

    /**
     * An endless run ({@code --run_infinitely}) has a result of the same size every few seconds, thousands of them.
     * They become rounds of one result. Results that differ in more than their time are kept.
     */
    private static List<Result> periods(List<Result> results) {
        boolean endless = results.size() > 1
                && results.stream().mapToLong(Result::size).distinct().count() == 1
                && results.stream()
                        .allMatch(each -> each.rounds().isEmpty()
                                && each.figures().containsKey(Metric.BANDWIDTH.key())
                                && each.gigabits() == results.getFirst().gigabits());
        if (!endless) {
            return results;
        }
        Map<String, DoubleSummaryStatistics> all = new LinkedHashMap<>();
        results.forEach(each -> each.figures()
                .forEach((key, value) -> all.computeIfAbsent(key, _ -> new DoubleSummaryStatistics())
                        .accept(value)));
        Map<String, Double> figures = new LinkedHashMap<>();
        all.forEach((key, values) ->
                figures.put(key, key.equals(Metric.PEAK.key()) ? values.getMax() : values.getAverage()));
        Result first = results.getFirst();
        return List.of(new Result(
                first.size(),
                results.stream().mapToLong(Result::iterations).sum(),
                figures,
                first.gigabits(),
                Map.of(),
                PercentileCurve.NONE,
                results.stream().map(Result::figures).toList(),
                false));
    }

    private static Optional<PathLimit> limit(JsonObject info) {
        JsonObject limit = info.object(LIMIT);
        if (limit == null) {
            return Optional.empty();
        }
        double bytesPerSecond = limit.number("bytes_per_second");
        if (!(bytesPerSecond > 0)) {
            throw limit.wrong("bytes_per_second", "is not above 0");
        }
        String link = limit.text("link");
        return Optional.of(new PathLimit(bytesPerSecond, link == null ? "its links" : link));
    }

    /** Returns all settings. The settings of the banner have the keys that C's tools use in JSON. */
    private static Map<String, Object> settings(JsonObject info) {
        Map<String, Object> settings = new LinkedHashMap<>(info.fields());
        settings.remove(BANNER);
        JsonObject banner = info.object(BANNER);
        if (banner != null) {
            banner.fields().forEach((name, value) -> settings.putIfAbsent(name.replace(' ', '_'), value));
        }
        return settings;
    }

    /** The command's name; older documents and C's have a title only, as "RDMA_Write BW Test". */
    private static String tool(JsonObject info) {
        if (info.has("tool")) {
            return info.text("tool");
        }
        if (!info.has("test")) {
            throw info.wrong("tool", "is missing");
        }
        String title = info.text("test");
        String words = title.toLowerCase(Locale.ROOT);
        for (String verb : List.of("write", "read", "send", "atomic")) {
            if (words.contains(verb)) {
                return "ib_" + verb + (words.contains("latency") ? "_lat" : "_bw");
            }
        }
        return title;
    }

    /** Returns a size of our part of a document, with the names of C's tools for the figures. */
    private static JsonObject ofSize(JsonObject size) {
        Map<String, Object> fields = new LinkedHashMap<>();
        size.fields().forEach((name, value) -> fields.put(OF_C.getOrDefault(name, name), value));
        JsonObject bandwidth = size.object("bandwidth");
        if (bandwidth != null) {
            bandwidth.fields().forEach((name, value) -> fields.put(OF_C.getOrDefault(name, name), value));
        }
        List<Object> rounds = new ArrayList<>();
        for (JsonObject round : size.objects("rounds")) {
            Map<String, Object> figures = new LinkedHashMap<>();
            round.fields().forEach((name, value) -> figures.put(OF_C.getOrDefault(name, name), value));
            rounds.add(figures);
        }
        fields.put("rounds", rounds);
        return size.with(fields);
    }

    private static Result result(JsonObject result) {
        long size = result.whole("MsgSize");
        if (size == 0) {
            throw result.wrong("MsgSize", "is 0");
        }
        long iterations = result.has("n_iterations") ? result.whole("n_iterations") : 0;
        Map<String, Double> figures = numbers(result);
        JsonObject cpu = result.object("cpu");
        if (cpu != null) {
            figures.putAll(numbers(cpu));
        }
        List<Map<String, Double>> rounds = new ArrayList<>();
        for (JsonObject round : result.objects("rounds")) {
            rounds.add(round(round));
        }
        JsonObject latency = result.object("latency");
        Map<String, Double> allSamples = new LinkedHashMap<>();
        PercentileCurve curve = PercentileCurve.NONE;
        if (latency != null) {
            curve = curve(latency, figures, allSamples, iterations);
        } else if (figures.containsKey(Metric.MEDIAN.key())) {
            curve = PercentileCurve.ofFigures(figures, Map.of(), iterations);
        }
        return new Result(
                size,
                iterations,
                figures,
                isInGigabits(result.text("BW_unit"), size, figures),
                allSamples,
                curve,
                rounds,
                latency != null && "open".equals(latency.text("loop")));
    }

    /**
     * Returns whether bandwidth is in Gb/s. C's tools do not write the unit, but it follows from the rate of messages:
     * a message of a million bytes is 0.95 MiB and 0.008 Gb, or twice as much in a bidirectional run. If the rate is
     * rounded to 0, bandwidth is left out.
     */
    private static boolean isInGigabits(String unit, long size, Map<String, Double> figures) {
        if (unit != null) {
            return unit.equals("Gb/sec");
        }
        double megabytes = figures.getOrDefault(Metric.RATE.key(), 0.0) * size;
        if (megabytes == 0) {
            figures.keySet().removeAll(Set.of(Metric.BANDWIDTH.key(), Metric.PEAK.key()));
        }
        return figures.getOrDefault(Metric.BANDWIDTH.key(), 0.0) < megabytes / 10;
    }

    /** Returns a round. A comparison contains its CPU time in microseconds, in addition to the tools' columns. */
    private static Map<String, Double> round(JsonObject round) {
        Map<String, Double> figures = numbers(round);
        Map.of("cpu_per_message", Metric.CPU, "machine_per_message", Metric.MACHINE_CPU)
                .forEach((name, metric) -> {
                    if (figures.containsKey(name)) {
                        figures.put(metric.key(), figures.get(name) * NANOSECONDS);
                    }
                });
        return figures;
    }

    private static PercentileCurve curve(
            JsonObject latency, Map<String, Double> figures, Map<String, Double> allSamples, long iterations) {
        Map<Double, Double> percentiles = new LinkedHashMap<>();
        JsonObject table = latency.object("percentiles");
        if (table != null) {
            numbers(table).forEach((percent, value) -> {
                try {
                    percentiles.put(Double.parseDouble(percent), value);
                    allSamples.put("percentile_" + percent, value);
                } catch (NumberFormatException _) {
                    throw table.wrong(percent, "is not a percentile");
                }
            });
        }
        Map.of("t_min", "min", "t_max", "max", "t_avg", "mean", "t_stdev", "stdev")
                .forEach((ofC, name) -> {
                    if (latency.has(name)) {
                        allSamples.put(ofC, latency.number(name));
                    }
                });
        if (percentiles.containsKey(50.0)) {
            allSamples.put(Metric.MEDIAN.key(), percentiles.get(50.0));
        }
        allSamples.forEach(figures::putIfAbsent);
        if (latency.has(Result.RATE)) {
            figures.putIfAbsent(Result.RATE, latency.number(Result.RATE));
        }
        String histogram = latency.text(HISTOGRAM);
        if (histogram != null) {
            try {
                return PercentileCurve.ofHistogram(histogram);
            } catch (IllegalArgumentException failure) {
                throw latency.wrong(HISTOGRAM, failure.getMessage());
            }
        }
        return PercentileCurve.ofFigures(
                figures, percentiles, latency.has("samples") ? latency.whole("samples") : iterations);
    }

    /** The fields that are numbers. */
    private static Map<String, Double> numbers(JsonObject object) {
        Map<String, Double> numbers = new LinkedHashMap<>();
        object.fields().forEach((name, value) -> {
            if (value instanceof Double) {
                numbers.put(name, object.number(name));
            }
        });
        return numbers;
    }

    private static String shortName(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".json") && name.length() > 5 ? name.substring(0, name.length() - 5) : name;
    }
}
