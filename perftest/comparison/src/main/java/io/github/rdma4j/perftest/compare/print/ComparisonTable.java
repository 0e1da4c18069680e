// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import io.github.rdma4j.perftest.compare.result.CaseResult;
import io.github.rdma4j.perftest.compare.result.ComparisonRow;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.figures.MedianInterval;
import java.util.List;
import java.util.Locale;

/** The comparison as text. */
final class ComparisonTable {
    private static final String LINE = "%-13s %9s  %-18s %12s %12s %7s  %-14s %12s %12s%n";

    private ComparisonTable() {}

    /**
     * Returns the table: a heading, one line per row, and an explanation of the ratio.
     *
     * @param cases at least one
     */
    static String of(List<CaseResult> cases) {
        StringBuilder text = new StringBuilder(line(
                "tool", "bytes", "metric", "Java median", "C median", "ratio", "95 % interval", "Java best", "C best"));
        cases.forEach(result -> result.rows().forEach(row -> text.append(row(row))));
        int rounds = cases.getFirst().rounds().size();
        text.append("ratio: the median of each round's Java / C, of ")
                .append(rounds)
                .append(rounds == 1 ? " round." : " rounds.");
        text.append(
                rounds < MedianInterval.LEAST_FIGURES
                        ? " An interval needs " + MedianInterval.LEAST_FIGURES + " rounds.\n"
                        : " The interval holds the true median with 95 % confidence or more; with 1 inside, no"
                                + " difference is shown.\n");
        text.append("Latency [usec]: below 1 Java is faster. Bandwidth and message rate: above 1 Java is faster."
                + " best: of one round, which luck picks.\n");
        return text.toString();
    }

    private static String row(ComparisonRow row) {
        return line(
                row.test().tool().command(),
                row.test().size(),
                row.metric().title(),
                number(row.metric(), row.javaMedian()),
                number(row.metric(), row.cMedian()),
                ratio(row.ratio().median()),
                interval(row.ratio()),
                number(row.metric(), row.javaBest()),
                number(row.metric(), row.cBest()));
    }

    /** Returns both ends of an interval, or a dash if there is none. */
    static String interval(MedianInterval ratio) {
        return ratio.isBounded() ? ratio(ratio.low()) + " to " + ratio(ratio.high()) : "-";
    }

    private static String ratio(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static String number(Metric metric, double value) {
        return String.format(Locale.ROOT, "%." + metric.decimals() + "f", value);
    }

    private static String line(Object... values) {
        return String.format(Locale.ROOT, LINE, values);
    }
}
