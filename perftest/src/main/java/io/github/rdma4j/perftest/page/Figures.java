// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Numbers as text, the same on every machine. */
final class Figures {
    private static final long KIBIBYTE = 1L << 10;
    private static final long MEBIBYTE = 1L << 20;
    private static final long GIBIBYTE = 1L << 30;
    private static final double LARGE = 10_000;

    private Figures() {}

    /** A number with so many decimals; a dash when there is none, as where something was divided by nothing. */
    static String number(double value, int decimals) {
        return !Double.isFinite(value)
                ? "–"
                : String.format(Locale.ROOT, "%,." + decimals + "f", value).replace(',', '\u202f');
    }

    /** A metric with its decimals: fewer where the number is large, more where it is small. */
    static String of(Metric metric, double value) {
        double magnitude = Math.abs(value);
        if (magnitude >= LARGE) {
            return number(value, 0);
        }
        return number(value, metric.decimals() + (magnitude > 0 && magnitude < 1 ? 2 : 0));
    }

    /** A number of bytes in its largest unit, as long as that is exact. */
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
