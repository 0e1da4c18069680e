// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The conditions of the figures in words, and what the figures do not mean. */
final class Wording {
    private static final DateTimeFormatter MINUTE = DateTimeFormatter.ofPattern(
                    "d MMMM uuuu, HH:mm 'UTC'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);
    private static final Pattern EMULATED = Pattern.compile("QEMU|TCG|emulat", Pattern.CASE_INSENSITIVE);
    private static final int FEW_ROUNDS = 5;

    private Wording() {}

    /** The title where none is given. */
    static String title(List<Document> documents) {
        String tools = documents.stream()
                .flatMap(document -> document.tests().stream())
                .map(TestRun::tool)
                .distinct()
                .limit(4)
                .collect(Collectors.joining(", "));
        String devices = devices(documents).collect(Collectors.joining(", "));
        return tools + (devices.isEmpty() ? "" : " on " + devices);
    }

    private static Stream<String> devices(List<Document> documents) {
        return documents.stream()
                .flatMap(document -> Stream.concat(
                        Stream.of(document.environment("device")),
                        document.tests().stream().map(test -> test.setting("Device"))))
                .filter(device -> !device.isEmpty())
                .distinct();
    }

    /** A document's conditions. */
    static String conditions(Document document) {
        StringBuilder text = new StringBuilder();
        if (document.comparison()) {
            text.append("The programs ran in turn, both ends on this machine");
        } else {
            TestRun test = document.tests().getFirst();
            text.append(test.tool()).append(", ");
            text.append(
                    test.party() == Party.OTHER
                            ? test.implementation()
                            : test.party().title());
            add(text, ", as the ", test.setting("role"), "");
        }
        add(text, ", on ", started(document), "");
        if (!Double.isNaN(document.seconds())) {
            text.append(" (").append(Figures.number(document.seconds(), 0)).append(" s)");
        }
        text.append(".");
        String device = document.environment("device");
        if (device.isEmpty()) {
            device = document.tests().getFirst().setting("Device");
        }
        if (!device.isEmpty()) {
            text.append(" Device ").append(device);
            add(text, ", port ", document.environment("device_port"), "");
            add(text, ", ", link(document.environment("link_layer")), "");
            add(text, ", active MTU ", document.environment("active_mtu"), " bytes");
            add(text, ", GID index ", document.environment("gid_index"), "");
            add(text, ", firmware ", document.environment("firmware"), "");
            add(text, ", driver ", document.environment("driver"), "");
            text.append(".");
        }
        machine(document, text);
        return text.toString();
    }

    private static void machine(Document document, StringBuilder text) {
        String kernel = document.environment("kernel");
        if (kernel.isEmpty()) {
            text.append(" The document says nothing of the machine.");
            return;
        }
        text.append(" ").append(kernel);
        add(text, ", ", document.environment("architecture"), "");
        String processors = document.environment("processors");
        add(text, ", ", processors, processors.equals("1") ? " processor" : " processors");
        add(text, " (", document.environment("cpu_model"), ")");
        add(text, ", times by ", document.environment("clock"), "");
        add(text, ", device on NUMA node ", document.environment("numa_node"), "");
        add(text, ", bound to processors ", document.environment("pinned_cores"), "");
        add(text, ", buffers on NUMA node ", document.environment("memory_node"), "");
        text.append(".");
        if (!document.environment("jvm").isEmpty()) {
            add(text, " ", document.environment("jvm"), "");
            String flags = document.environment("jvm_flags");
            text.append(flags.isEmpty() ? ", no flags" : ", " + flags).append(".");
        }
        add(text, " rdma4j ", document.environment("rdma4j"), "");
        add(text, ", C's tools ", document.environment("c_version"), "");
        text.append(".");
    }

    private static void add(StringBuilder text, String before, String value, String after) {
        if (!value.isEmpty()) {
            text.append(before).append(value).append(after);
        }
    }

    private static String link(String name) {
        return switch (name) {
            case "ETHERNET" -> "Ethernet";
            case "INFINIBAND" -> "InfiniBand";
            default -> name;
        };
    }

    private static String started(Document document) {
        if (document.started() == null) {
            return "";
        }
        try {
            return MINUTE.format(Instant.parse(document.started()));
        } catch (DateTimeParseException _) {
            return document.started();
        }
    }

    /** How a chapter was measured, as far as its tests have it in common. */
    static String settings(Chapter chapter) {
        List<String> parts = new ArrayList<>();
        common(chapter, "Connection_type", parts, "%s");
        common(chapter, "Number_of_qps", parts, "queue pairs: %s");
        common(chapter, "TX_depth", parts, "send queue: %s deep");
        if (!chapter.latency()) {
            common(chapter, "CQ_Moderation", parts, "a completion per %s messages");
        }
        common(chapter, "Mtu", parts, "MTU %s bytes");
        common(chapter, "Max_inline_data", parts, "inline up to %s bytes");
        range(
                parts,
                "messages per size: ",
                chapter.series().stream()
                        .flatMap(line -> line.results().values().stream())
                        .mapToLong(Result::iterations)
                        .filter(messages -> messages > 0));
        range(
                parts,
                "rounds: ",
                chapter.series().stream()
                        .flatMap(line -> line.results().values().stream())
                        .mapToLong(result -> result.rounds().size())
                        .filter(rounds -> rounds > 1));
        return String.join(" · ", parts);
    }

    private static void common(Chapter chapter, String key, List<String> parts, String format) {
        List<String> values = chapter.series().stream()
                .filter(line -> !line.party().isTcp())
                .map(line -> line.test().setting(key).replaceAll("\\[B]$", ""))
                .distinct()
                .toList();
        if (values.size() == 1 && !values.getFirst().isEmpty()) {
            parts.add(String.format(Locale.ROOT, format, values.getFirst()));
        }
    }

    private static void range(List<String> parts, String label, LongStream values) {
        var range = values.summaryStatistics();
        if (range.getCount() > 0) {
            String lowest = Figures.number(range.getMin(), 0);
            String highest = Figures.number(range.getMax(), 0);
            parts.add(label + (lowest.equals(highest) ? lowest : lowest + " to " + highest));
        }
    }

    /** What a reader could take the figures for, and what they are not. */
    static List<String> caveats(List<Document> documents, List<Chapter> chapters) {
        List<String> caveats = new ArrayList<>();
        String software = documents.stream()
                .filter(document -> document.environment("software_device").equals("yes"))
                .map(document -> document.environment("device"))
                .distinct()
                .collect(Collectors.joining(", "));
        if (!software.isEmpty()) {
            caveats.add("Software device (" + software
                    + "): the kernel's code on this machine's processors does an adapter's work. No time and"
                    + " no rate here says what an adapter reaches. Ratios between programs that ran in turn"
                    + " mean something, for this path only.");
        }
        if (documents.stream()
                .anyMatch(document ->
                        EMULATED.matcher(document.environment("cpu_model")).find())) {
            caveats.add("Emulated processor: each instruction costs many times what it costs on silicon, some far more"
                    + " than others, and a virtual processor can stand still for milliseconds, which makes the"
                    + " long tails.");
        }
        if (documents.stream().anyMatch(Document::comparison)) {
            caveats.add("Both ends on one machine: they share its processors and caches, and there is no wire between"
                    + " them.");
        }
        ofFigures(chapters, caveats);
        return caveats;
    }

    private static void ofFigures(List<Chapter> chapters, List<String> caveats) {
        if (chapters.stream().anyMatch(Chapter::latency)) {
            caveats.add("Latency is half of a round trip, as in C's tools: both ways are taken to be equally long.");
            boolean closed = results(chapters).anyMatch(result -> result.isLatency() && !result.openLoop());
            if (closed) {
                caveats.add("Closed loop: the next message waits for the answer to the last. A stall counts for one"
                        + " message, not for all that would have been sent meanwhile, so the tails are the best"
                        + " case (--rate measures the other).");
            }
            caveats.add(
                    "A percentile with fewer than ten samples beyond it is chance. Such are grey and in italics in the"
                            + " tables.");
            boolean partial = chapters.stream()
                    .flatMap(chapter -> chapter.series().stream())
                    .flatMap(line -> line.results().values().stream())
                    .anyMatch(result -> !result.percentiles().complete()
                            && !result.percentiles().points().isEmpty());
            if (partial) {
                caveats.add("Where only some percentiles are known, the chart has a mark for each and straight dashes"
                        + " between them that mean nothing. C's tools leave the two longest times out of all their"
                        + " figures: their maximum is not the maximum.");
            }
        }
        if (chapters.stream().anyMatch(chapter -> chapter.has(Metric.CPU))) {
            caveats.add("CPU time per message is of both ends, and spinning counts: what polls uses a whole processor"
                    + " while it waits.");
        }
        if (results(chapters)
                .anyMatch(
                        result -> !result.rounds().isEmpty() && result.rounds().size() < FEW_ROUNDS)) {
            caveats.add("Fewer than five rounds: a difference smaller than the spread of the rounds says nothing.");
        }
    }

    private static Stream<Result> results(List<Chapter> chapters) {
        return chapters.stream()
                .flatMap(chapter -> chapter.series().stream())
                .flatMap(line -> line.results().values().stream());
    }

    /** A chart in a sentence or two, for those who do not see it. */
    static String alternative(Chapter chapter, Chart chart) {
        Chart.Panel panel = chart.panels().getFirst();
        StringBuilder text = new StringBuilder(chart.title()).append(" of ").append(chapter.title());
        if (chart.panels().size() > 1 || chart.kind() == Chart.Kind.PERCENTILES) {
            text.append(", ").append(panel.label());
        }
        text.append(", in ").append(chart.unit()).append(". ");
        for (Chart.Line line : panel.lines()) {
            double[] first = line.points().getFirst();
            double[] last = line.points().getLast();
            text.append(line.series().name()).append(": ");
            text.append(Figures.number(first[1], 2)).append(" at ").append(position(chart.kind(), first[0], true));
            if (line.points().size() > 1) {
                text.append(", ").append(Figures.number(last[1], 2)).append(" at ");
                text.append(position(chart.kind(), last[0], false));
            }
            text.append(". ");
        }
        return text.append("All numbers are in the table below.").toString();
    }

    private static String position(Chart.Kind kind, double x, boolean first) {
        return switch (kind) {
            case PERCENTILES -> first ? "the lowest percentile" : "the highest";
            case SIZES, BARS -> Figures.size((long) x);
            case ROUNDS -> "round " + (long) x;
        };
    }
}
