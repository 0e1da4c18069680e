// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import java.util.List;
import java.util.Locale;

/** The comparison as text. */
final class ComparisonTable {
    private static final String HEADING = "%-13s %9s  %-18s %12s %12s %7s %12s %12s %7s%n";
    private static final String ROW = "%-13s %9d  %-18s %12s %12s %7.3f %12s %12s %7.3f%n";

    private ComparisonTable() {}

    /** Heading, one line per row, and what a ratio means. */
    static String of(List<ComparisonRow> rows, int rounds) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                HEADING,
                "tool",
                "bytes",
                "metric",
                "Java best",
                "C best",
                "ratio",
                "Java median",
                "C median",
                "ratio"));
        for (ComparisonRow row : rows) {
            text.append(String.format(
                    Locale.ROOT,
                    ROW,
                    row.test().tool().command(),
                    row.test().size(),
                    row.metric().title(),
                    number(row.metric(), row.javaBest()),
                    number(row.metric(), row.cBest()),
                    row.bestRatio(),
                    number(row.metric(), row.javaMedian()),
                    number(row.metric(), row.cMedian()),
                    row.medianRatio()));
        }
        text.append("ratio = Java / C, of ")
                .append(rounds)
                .append(rounds == 1 ? " round" : " rounds")
                .append(" each. Latency [usec]: below 1 Java is faster.")
                .append(" Bandwidth and message rate: above 1 Java is faster.\n");
        return text.toString();
    }

    private static String number(Metric metric, double value) {
        return String.format(Locale.ROOT, "%." + metric.decimals() + "f", value);
    }
}
