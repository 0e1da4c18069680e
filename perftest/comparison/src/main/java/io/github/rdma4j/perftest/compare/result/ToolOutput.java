// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * The output of a perftest tool, C's or ours: the settings of the banner, and the table of one size.
 *
 * @param settings the settings of the banner, by their names there
 * @param heading the heading of the table, as printed
 * @param row the row of the table, as printed
 * @param figures the figures of the row, under the keys of the C tools' JSON
 */
public record ToolOutput(Map<String, String> settings, String heading, String row, Map<String, Double> figures) {
    private static final Pattern UNIT = Pattern.compile("\\[[^]]*]");

    /** Creates the output of a program that prints no such table; the row is filled in when the heading is known. */
    public static ToolOutput of(Map<String, Double> figures) {
        return new ToolOutput(Map.of(), "", "", figures);
    }

    /** Returns the key of a column in the C tools' JSON. */
    public static String key(String column) {
        return UNIT.matcher(column)
                .replaceAll("")
                .replace("#", "")
                .replace("BW ", "BW_")
                .replaceAll("([0-9.]+)%[ _]percentile", "percentile_$1");
    }
}
