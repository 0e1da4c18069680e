// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.compare.result.ToolOutput;
import io.github.rdma4j.perftest.exit.CompareException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the output of a C tool. It finds columns by their names, so that new versions may add columns. */
public final class CToolOutput {
    private static final Pattern UNIT = Pattern.compile("\\[([^]]*)]");
    private static final List<String> MEBIBYTES = List.of("MB/sec", "MiB/sec");
    private static final double MEBIBYTE = 1 << 20;

    /** Half of the last digit that a bandwidth is printed with, in MiB/s. */
    private static final double BANDWIDTH_ERROR = 0.005;

    /** Half of the last digit that a message rate is printed with, in Mpps. */
    private static final double RATE_ERROR = 0.0000005;

    private CToolOutput() {}

    /**
     * Parses the output of a run of one size. Memory use is proportional to the text.
     *
     * @param text the whole output of the tool
     * @throws CompareException when there is no table, or an unknown one
     */
    public static ToolOutput parse(String text) {
        Map<String, String> settings = new LinkedHashMap<>();
        String heading = null;
        boolean addresses = false;
        for (String line : text.lines().toList()) {
            if (heading == null && line.strip().startsWith("#bytes")) {
                heading = line;
            } else if (heading == null) {
                addresses |= line.strip().startsWith("local address");
                if (!addresses) {
                    addSettings(line, settings);
                }
            } else if (startsWithDigit(line.strip())) {
                return new ToolOutput(settings, heading, line, figures(heading, line));
            }
        }
        throw new CompareException(
                heading == null ? "the output contains no table of results" : "the table of results is empty", "");
    }

    /** Settings are "name : value", with tabs between two in a line. */
    private static void addSettings(String line, Map<String, String> settings) {
        for (String part : line.split("\t\t")) {
            int colon = part.indexOf(':');
            if (colon > 0) {
                settings.putIfAbsent(
                        part.substring(0, colon).strip(),
                        part.substring(colon + 1).strip());
            }
        }
    }

    private static boolean startsWithDigit(String text) {
        return !text.isEmpty() && Character.isDigit(text.charAt(0));
    }

    private static Map<String, Double> figures(String heading, String row) {
        String[] columns = heading.strip()
                .replace("BW peak", "BW_peak")
                .replace("BW average", "BW_average")
                .replace("% percentile", "%_percentile")
                .split("\\s+");
        String[] values = row.strip().split("\\s+");
        if (values.length < columns.length) {
            throw new CompareException("the row '" + row.strip() + "' has fewer columns than its heading", "");
        }
        Map<String, Double> figures = new LinkedHashMap<>();
        for (int i = 0; i < columns.length; i++) {
            String name = columns[i];
            Matcher unit = UNIT.matcher(name);
            if (name.startsWith("BW_") && unit.find() && !MEBIBYTES.contains(unit.group(1))) {
                throw new CompareException("the unit of '" + name + "' is not understood", "");
            }
            figures.put(ToolOutput.key(name), number(values[i]));
        }
        refine(figures);
        return figures;
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException _) {
            // "-nan" or "inf": a caller that needs the figure checks for NaN.
            return Double.NaN;
        }
    }

    /**
     * Bandwidth and message rate are one figure, printed twice with a fixed number of decimals. For 2-byte messages,
     * the bandwidth has one significant digit and the rate five, so the coarser figure is computed from the finer one.
     */
    private static void refine(Map<String, Double> figures) {
        Double bandwidth = figures.get(Metric.AVERAGE_BANDWIDTH.key());
        Double rate = figures.get(Metric.MESSAGE_RATE.key());
        Double size = figures.get("bytes");
        if (bandwidth == null || rate == null || size == null) {
            return;
        }
        if (BANDWIDTH_ERROR / bandwidth > RATE_ERROR / rate) {
            figures.put(Metric.AVERAGE_BANDWIDTH.key(), rate * 1e6 * size / MEBIBYTE);
        } else {
            figures.put(Metric.MESSAGE_RATE.key(), bandwidth * MEBIBYTE / size / 1e6);
        }
    }
}
