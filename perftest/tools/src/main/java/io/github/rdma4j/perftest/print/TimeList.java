// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.print;

import io.github.rdma4j.perftest.figures.SampleTimes;
import java.util.Locale;

/** Every single latency of a run, line by line as the C tools list them. Unlike theirs, the sorted list is complete. */
final class TimeList {
    /** From this value on, and below its inverse, printf's %g uses an exponent. */
    private static final double LARGE = 1e6;

    private static final double SMALL = 1e-4;

    private TimeList() {}

    /**
     * The lines.
     *
     * @param cyclesPerMicrosecond for times in cycles; 0 for microseconds
     */
    static String of(SampleTimes times, double cyclesPerMicrosecond) {
        double scale = cyclesPerMicrosecond > 0 ? cyclesPerMicrosecond : 1;
        StringBuilder text = new StringBuilder(cyclesPerMicrosecond > 0 ? "#, cycles\n" : "#, usec\n");
        for (int i = 0; i < times.count(); i++) {
            text.append(i + 1)
                    .append(", ")
                    .append(shortest(times.microseconds(i) * scale))
                    .append('\n');
        }
        return text.toString();
    }

    /** Formats as printf does with %g: six digits, without trailing zeros, which Java's %g keeps. */
    static String shortest(double value) {
        if (value == 0) {
            return "0";
        }
        String scientific = String.format(Locale.ROOT, "%.5e", value);
        double rounded = Double.parseDouble(scientific);
        if (rounded >= LARGE || rounded < SMALL) {
            int e = scientific.indexOf('e');
            return withoutZeros(scientific.substring(0, e)) + scientific.substring(e);
        }
        int digits = 5 - (int) Math.floor(Math.log10(rounded));
        return withoutZeros(String.format(Locale.ROOT, "%." + digits + "f", value));
    }

    private static String withoutZeros(String number) {
        return number.contains(".") ? number.replaceAll("\\.?0+$", "") : number;
    }
}
