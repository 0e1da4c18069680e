// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Combines results that belong together, of one document or of several. */
final class Chapters {
    private final Map<String, List<Line>> chapters = new LinkedHashMap<>();

    private Chapters() {}

    /** A series that has no name yet; its results by size. */
    private record Line(ProgramRun test, String document, TreeMap<Long, Result> results) {}

    /** Returns the chapters of all documents, in the order of their first tests. */
    static List<Chapter> of(List<Document> documents) {
        Chapters chapters = new Chapters();
        // TCP has no connection type and similar settings, and is combined with the first RDMA test of its tool.
        for (boolean tcp : new boolean[] {false, true}) {
            for (Document document : documents) {
                document.tests().stream()
                        .filter(test -> test.party().isTcp() == tcp)
                        .forEach(test -> chapters.add(test, document.name()));
            }
        }
        return chapters.chapters.entrySet().stream()
                .map(entry -> chapter(entry.getKey(), entry.getValue()))
                .toList();
    }

    private void add(ProgramRun test, String document) {
        for (Result result : test.results()) {
            String title = title(test, result);
            if (test.party().isTcp()) {
                title = chapters.keySet().stream()
                        .filter(other -> other.split(",")[0].equals(test.tool()))
                        .findFirst()
                        .orElse(title);
            }
            long size = result.size();
            List<Line> lines = chapters.computeIfAbsent(title, _ -> new ArrayList<>());
            Line line = lines.stream()
                    .filter(other -> other.document.equals(document)
                            && other.test.party() == test.party()
                            && other.test.setting("implementation").equals(test.setting("implementation"))
                            && other.test.variant().equals(test.variant())
                            && !other.results.containsKey(size))
                    .findFirst()
                    .orElse(null);
            if (line == null) {
                line = new Line(test, document, new TreeMap<>());
                lines.add(line);
            }
            line.results.put(size, result);
        }
    }

    /** Returns the tool with the settings that make figures incomparable, except those with default values. */
    private static String title(ProgramRun test, Result result) {
        StringBuilder title = new StringBuilder(test.tool());
        add(title, test.setting("direction"), "");
        add(title, test.setting("threads"), test.setting("threads").equals("1") ? " thread" : " threads");
        add(title, test.setting("datatype"), "");
        add(title, test.setting("operation"), "");
        add(title, test.setting("ranks"), test.setting("ranks").equals("1") ? " rank" : " ranks");
        String connection = test.setting("Connection_type");
        if (!connection.isEmpty() && !connection.equals("RC") && !test.party().isTcp()) {
            title.append(", ").append(connection);
        }
        String queuePairs = test.setting("Number_of_qps");
        if (!queuePairs.isEmpty() && !queuePairs.equals("1")) {
            title.append(", ").append(queuePairs).append(" queue pairs");
        }
        if (test.setting("bidirectional").equals("yes")) {
            title.append(", both directions");
        }
        if (result.openLoop()) {
            title.append(", open loop");
            double rate = result.figure(Result.RATE);
            if (!Double.isNaN(rate)) {
                title.append(" at ").append(Figures.number(rate, 0)).append("/s");
            }
        }
        return title.toString();
    }

    private static void add(StringBuilder title, String setting, String unit) {
        if (!setting.isEmpty()) {
            title.append(", ").append(setting).append(unit);
        }
    }

    private static Chapter chapter(String title, List<Line> lines) {
        List<Line> sorted = new ArrayList<>(lines);
        sorted.sort(Comparator.comparing((Line line) -> line.test.party()));
        Map<Party, Long> count = lines.stream()
                .filter(line -> line.test.variant().isEmpty())
                .collect(Collectors.groupingBy(line -> line.test.party(), Collectors.counting()));
        Map<Party, Integer> seen = new LinkedHashMap<>();
        List<Series> series = new ArrayList<>();
        for (Line line : sorted) {
            Party party = line.test.party();
            int variant = seen.merge(party, 1, Integer::sum) - 1;
            boolean several = line.test.variant().isEmpty()
                    ? count.get(party) > 1
                    : lines.stream().map(Line::document).distinct().count() > 1;
            series.add(new Series(name(line, several, series), party, variant, line.test, line.document, line.results));
        }
        boolean latency =
                lines.stream().flatMap(line -> line.results.values().stream()).anyMatch(Result::isLatency);
        return new Chapter(title, latency, series);
    }

    private static String name(Line line, boolean several, List<Series> others) {
        String ofParty = line.test.party() == Party.OTHER
                ? line.test.implementation()
                : line.test.party().title();
        String title = line.test.variant().isEmpty() ? ofParty : line.test.variant();
        String name = several ? title + " · " + line.document : title;
        String unique = name;
        for (int i = 2; contains(others, unique); i++) {
            unique = name + " (" + i + ")";
        }
        return unique;
    }

    private static boolean contains(List<Series> others, String name) {
        return others.stream().anyMatch(other -> other.name().equals(name));
    }
}
