// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The runs of a campaign, a scenario a line, as a table in Markdown. */
final class Table {
    private Table() {}

    static String of(List<Run> runs) {
        Map<String, List<Run>> scenarios =
                runs.stream().collect(Collectors.groupingBy(Run::scenario, LinkedHashMap::new, Collectors.toList()));
        StringBuilder table = new StringBuilder(
                "| scenario | runs | all arrived | lost | failed | how reported | after, ms: median, longest | messages | transfers | left |\n"
                        + "|---|---:|---:|---:|---:|---|---:|---:|---:|---:|\n");
        List<String> names = Scenarios.all().stream().map(Scenario::name).toList();
        scenarios.entrySet().stream()
                .sorted(Comparator.comparing(scenario -> names.indexOf(scenario.getKey())))
                .forEach(scenario -> row(table, scenario.getKey(), scenario.getValue()));
        return table.toString();
    }

    private static void row(StringBuilder table, String name, List<Run> of) {
        table.append("| ")
                .append(String.join(
                        " | ",
                        name,
                        Integer.toString(of.size()),
                        count(of, "arrived"),
                        count(of, "lost"),
                        count(of, "failed"),
                        String.join("; ", reports(of)),
                        times(of),
                        Long.toString(of.stream().mapToLong(Run::messages).sum()),
                        Long.toString(of.stream().mapToLong(Run::transfers).sum()),
                        Integer.toString(of.stream().mapToInt(Run::left).sum())))
                .append(" |\n");
    }

    private static String count(List<Run> runs, String outcome) {
        return Long.toString(
                runs.stream().filter(run -> run.outcome().equals(outcome)).count());
    }

    private static TreeSet<String> reports(List<Run> runs) {
        TreeSet<String> reports = runs.stream().map(Run::reported).collect(Collectors.toCollection(TreeSet::new));
        reports.remove("");
        return reports;
    }

    private static String times(List<Run> runs) {
        long[] times = runs.stream()
                .mapToLong(Run::afterMillis)
                .filter(t -> t >= 0)
                .sorted()
                .toArray();
        return times.length == 0 ? "" : times[times.length / 2] + ", " + times[times.length - 1];
    }

    static List<Run> read(Path file) throws IOException {
        return Files.readAllLines(file).stream().map(Run::ofLine).toList();
    }
}
