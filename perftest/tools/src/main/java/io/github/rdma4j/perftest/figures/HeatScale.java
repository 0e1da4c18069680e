// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.figures;

import java.util.List;
import java.util.Locale;

/** The steps of a heat map, and its numbers. */
public final class HeatScale {
    /** How many times as bad as the median a figure is, at most, in each step except the last. */
    public static final List<Double> LIMITS = List.of(1.25, 1.6, 2.5);

    private HeatScale() {}

    /** Returns the step of a figure that is so many times as bad as the median, from 0. */
    public static int step(double badness) {
        int step = 0;
        while (step < LIMITS.size() && badness > LIMITS.get(step)) {
            step++;
        }
        return step;
    }

    /** Returns a figure with about three digits; a dash for NaN. */
    public static String number(double value) {
        return Double.isNaN(value)
                ? "–"
                : String.format(Locale.ROOT, value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }
}
