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
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Describes the conditions of the figures. */
final class Wording {
    private static final DateTimeFormatter MINUTE = DateTimeFormatter.ofPattern(
                    "d MMMM uuuu, HH:mm 'UTC'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private Wording() {}

    /** Returns the default title. */
    static String title(List<Document> documents) {
        String tools = documents.stream()
                .flatMap(document -> document.tests().stream())
                .map(ProgramRun::tool)
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
            ProgramRun test = document.tests().getFirst();
            text.append(test.tool()).append(", ");
            text.append(
                    test.party() == Party.OTHER
                            ? test.implementation()
                            : test.party().title());
            String role = test.setting("role");
            add(text, ", as the ", role.equals("client") || role.equals("server") ? role : "", "");
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

    /** Describes the settings that all tests of a chapter share. */
    static String settings(Chapter chapter) {
        List<String> parts = new ArrayList<>();
        common(chapter, "Connection_type", parts, "%s");
        common(chapter, "Number_of_qps", parts, "queue pairs: %s");
        common(chapter, "nccl", parts, "%s");
        common(chapter, "places", parts, "ranks: %s");
        common(chapter, "cuda_device", parts, "%s");
        common(chapter, "file_system", parts, "on %s");
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
                .map(line -> line.test().setting(key))
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
}
