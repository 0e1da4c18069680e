// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/** Formats numbers, identically on every machine. */
final class Figures {
    private static final long KIBIBYTE = 1L << 10;
    private static final long MEBIBYTE = 1L << 20;
    private static final long GIBIBYTE = 1L << 30;
    private static final double LARGE = 10_000;
    private static final double SMALL = 0.1;

    private Figures() {}

    /** Formats a number with fixed decimals; a dash for NaN and infinity, such as after a division by zero. */
    static String number(double value, int decimals) {
        return !Double.isFinite(value)
                ? "–"
                : String.format(Locale.ROOT, "%,." + decimals + "f", value).replace(',', '\u202f');
    }

    /**
     * Returns the common number of decimals for figures that are read together: as many as the smallest needs. axes.js
     * has the same rule for the charts.
     */
    static int decimals(Metric metric, DoubleStream values) {
        double smallest = values.map(Math::abs)
                .filter(value -> value > 0 && Double.isFinite(value))
                .min()
                .orElse(1);
        return smallest >= LARGE ? 0 : metric.decimals() + (smallest < SMALL ? 2 : 0);
    }

    /** Formats a number of bytes in its largest unit that is exact. */
    static String size(long bytes) {
        if (bytes >= GIBIBYTE && bytes % GIBIBYTE == 0) {
            return bytes / GIBIBYTE + " GiB";
        }
        if (bytes >= MEBIBYTE && bytes % MEBIBYTE == 0) {
            return bytes / MEBIBYTE + " MiB";
        }
        if (bytes >= KIBIBYTE && bytes % KIBIBYTE == 0) {
            return bytes / KIBIBYTE + " KiB";
        }
        return bytes + " B";
    }

    /** A value of a document as text; empty for null. */
    static String text(Object value) {
        return switch (value) {
            case null -> "";
            case Double number when number == Math.rint(number) -> Long.toString(number.longValue());
            case Boolean flag -> flag ? "yes" : "no";
            case Map<?, ?> fields ->
                fields.entrySet().stream()
                        .map(each -> each.getKey() + ": " + text(each.getValue()))
                        .collect(Collectors.joining("; "));
            case List<?> items -> items.stream().map(Figures::text).collect(Collectors.joining(" "));
            default -> value.toString();
        };
    }
}
