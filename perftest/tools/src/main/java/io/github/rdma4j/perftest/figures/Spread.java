// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.figures;

import java.util.Arrays;

/**
 * The spread of a figure over rounds.
 *
 * @param minimum the least
 * @param median the middle one, or the mean of the two in the middle
 * @param maximum the greatest
 */
public record Spread(double minimum, double median, double maximum) {
    /**
     * The spread of some figures.
     *
     * @param figures at least one
     */
    public static Spread of(double... figures) {
        if (figures.length == 0) {
            throw new IllegalArgumentException("no figures");
        }
        double[] sorted = figures.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(sorted[0], median, sorted[sorted.length - 1]);
    }

    /** The whole width in percent of the median; 0 where the median is 0. */
    public double percent() {
        return median == 0 ? 0 : 100 * (maximum - minimum) / median;
    }
}
