// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tables of what several ranks do together with NCCL. */
final class Collectives {
    private Collectives() {}

    static List<Table> of(Chapter chapter) {
        List<Table> tables = new ArrayList<>();
        tables.add(figures(chapter));
        Map<String, List<Choice>> choices = new LinkedHashMap<>();
        chapter.series().stream()
                .filter(line -> !line.test().choices().isEmpty())
                .forEach(
                        line -> choices.putIfAbsent(line.document(), line.test().choices()));
        choices.forEach((document, ofDocument) ->
                tables.add(choices(choices.size() == 1 ? "" : " (" + document + ")", ofDocument)));
        return tables;
    }

    private static Table figures(Chapter chapter) {
        Table table = new Table(
                "All-reduce (GB = 10⁹ bytes)",
                List.of(
                        "Size>",
                        "Series",
                        "Operations>",
                        "Time µs>",
                        "Algorithm GB/s>",
                        "Bus GB/s>",
                        "Values compared>",
                        "Wrong>"));
        Tables.forAll(chapter, (size, line, result) -> {
            double compared = result.figure("values_compared");
            table.row()
                    .number(Figures.size(result.size()))
                    .series(line.name(), line.party())
                    .number(Figures.number(result.iterations(), 0))
                    .figure(Metric.OPERATION, result.metric(Metric.OPERATION))
                    .figure(Metric.ALGORITHM_BANDWIDTH, result.metric(Metric.ALGORITHM_BANDWIDTH))
                    .figure(Metric.BUS_BANDWIDTH, result.metric(Metric.BUS_BANDWIDTH))
                    .number(Figures.number(compared, 0))
                    .number(compared > 0 ? Figures.number(result.figure("values_wrong"), 0) : "–");
        });
        return table;
    }

    private static Table choices(String where, List<Choice> choices) {
        Table table = new Table(
                "What NCCL chose, by its log, beside what doctor --gpu predicts" + where,
                List.of("Ranks", "Of what", "Chosen", "Predicted", "Verdict"));
        for (Choice choice : choices) {
            table.row()
                    .text(choice.ranks())
                    .text(choice.subject())
                    .longText(choice.chosen())
                    .longText(choice.predicted().isEmpty() ? "–" : choice.predicted())
                    .longText(choice.verdict() + (choice.remark().isEmpty() ? "" : ": " + choice.remark()));
        }
        return table;
    }
}
