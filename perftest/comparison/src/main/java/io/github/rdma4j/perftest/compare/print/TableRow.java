// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.compare.result.ToolOutput;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A row under the heading of a perftest tool, for figures of another program. */
public final class TableRow {
    private static final Pattern COLUMN = Pattern.compile("[0-9.]+% percentile\\S*|BW (?:peak|average)\\S*|\\S+");

    private TableRow() {}

    /**
     * Returns the figures, each below its column's name, with a dash for a missing figure.
     *
     * @param heading of the tool's table
     */
    public static String of(String heading, Map<String, Double> figures) {
        StringBuilder row = new StringBuilder();
        Matcher column = COLUMN.matcher(heading.replace("\t", "    "));
        while (column.find()) {
            String key = ToolOutput.key(column.group());
            do {
                row.append(' ');
            } while (row.length() < column.start());
            row.append(number(key, figures.get(key)));
        }
        return row.toString();
    }

    private static String number(String key, Double value) {
        if (value == null || value.isNaN()) {
            return "-";
        }
        String pattern = value == Math.rint(value) && (key.equals("bytes") || key.equals("iterations"))
                ? "%.0f"
                : key.equals(Metric.MESSAGE_RATE.key()) ? "%.6f" : "%.2f";
        return String.format(Locale.ROOT, pattern, value);
    }
}
