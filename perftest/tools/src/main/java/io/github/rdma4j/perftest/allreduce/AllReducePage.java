// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.perftest.allreduce.choice.Choice;
import io.github.rdma4j.perftest.allreduce.choice.Choice.Verdict;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The report for people; the table has the columns of nccl-tests. */
final class AllReducePage {
    private static final int WIDTH = 118;

    private final AllReduceReport report;
    private final StringBuilder page = new StringBuilder();

    private AllReducePage(AllReduceReport report) {
        this.report = report;
    }

    static String of(AllReduceReport report) {
        return new AllReducePage(report).page();
    }

    private void line(String format, Object... arguments) {
        page.append(String.format(Locale.ROOT, format, arguments)).append(System.lineSeparator());
    }

    private String page() {
        line("%s, %d %s", report.library(), report.ranks(), report.ranks() == 1 ? "rank" : "ranks");
        for (int rank = 0; rank < report.ranks(); rank++) {
            Place place = report.places().get(rank);
            line("  rank %d  %s, process %d, %s", rank, place.host(), place.process(), place.gpu());
        }
        line("");
        table();
        line("");
        if (report.compared() == 0) {
            line("No values were compared.");
        } else {
            line("Values: %d wrong of %d", report.wrong(), report.compared());
        }
        line(
                report.ranks() == 1
                        ? "Bus bandwidth: none, of one rank: it copies, and in place does nothing"
                        : "Average bus bandwidth: %.3f GB/s",
                report.averageBusBandwidth());
        line("");
        choices();
        if (report.failure() != null) {
            line("");
            line("broken off: %s", report.failure());
        }
        return page.toString();
    }

    private void table() {
        line("%47s  %-42s  %s", "", "out of place, bandwidths in GB/s", "in place");
        line(
                "  %13s %13s %9s %7s  %10s %10s %10s %9s  %10s %10s %10s %9s",
                "bytes", "elements", "type", "op", "µs", "algbw", "busbw", "wrong", "µs", "algbw", "busbw", "wrong");
        Map<List<Object>, Map<Boolean, Timing>> rows = new LinkedHashMap<>();
        for (Timing each : report.timings()) {
            rows.computeIfAbsent(List.of(each.type(), each.operation(), each.bytes()), _ -> new LinkedHashMap<>())
                    .put(each.inPlace(), each);
        }
        for (Map<Boolean, Timing> row : rows.values()) {
            Timing out = row.get(false);
            line(
                    "  %13d %13d %9s %7s  %s  %s",
                    out.bytes(),
                    out.elements(),
                    out.type(),
                    out.operation(),
                    figures(out),
                    row.containsKey(true) ? figures(row.get(true)) : "");
        }
    }

    private String figures(Timing timing) {
        return String.format(
                Locale.ROOT,
                "%10.2f %10.3f %10.3f %9s",
                timing.microseconds(),
                timing.algorithmBandwidth(),
                timing.busBandwidth(report.ranks()),
                timing.compared() == 0 ? "-" : Long.toString(timing.wrong()));
    }

    private void choices() {
        if (!report.logNote().isEmpty()) {
            line("%s", report.logNote());
            return;
        }
        line("What NCCL chose, by its log, and what doctor --gpu predicts of it:");
        for (RankChoice each : report.choices()) {
            Choice choice = each.choice();
            String who = report.ranks() == 1
                    ? ""
                    : (each.ranks().matches("\\d+") ? "rank " : "ranks ") + each.ranks() + ": ";
            entry("  " + who + choice.subject() + ": ", choice.chosen());
            if (!choice.predicted().isEmpty()) {
                entry("      predicted: ", choice.predicted());
            }
            if (choice.verdict() == Verdict.DIFFERS) {
                entry("      DIFFERS: ", choice.remark());
            }
        }
        long differences = report.choices().stream()
                .filter(each -> each.choice().verdict() == Verdict.DIFFERS)
                .count();
        line(
                "%s",
                differences == 0
                        ? "Nothing differs from what was predicted."
                        : "%d %s from what was predicted."
                                .formatted(differences, differences == 1 ? "thing differs" : "things differ"));
    }

    /** Prints an entry; a long text continues on the next line, after the width of two tabs. */
    private void entry(String label, String text) {
        StringBuilder row = new StringBuilder(label);
        for (String word : text.split(" ")) {
            if (row.length() + word.length() >= WIDTH) {
                line("%s", row.toString().stripTrailing());
                row.setLength(0);
                row.append("          ");
            }
            row.append(word).append(' ');
        }
        line("%s", row.toString().stripTrailing());
    }
}
