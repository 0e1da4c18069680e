// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.figures;

import java.util.Arrays;

/**
 * A median and its confidence interval, which does not depend on the figures' distribution: the ends of the interval
 * are two of the figures, chosen by rank. Each figure is below the true median with probability 1/2, so the number of
 * figures below it follows the binomial distribution (the interval of the sign test).
 *
 * @param median the middle one, or the mean of the two in the middle; NaN when there is no figure
 * @param low lower end; NaN when there are too few figures for an interval
 * @param high upper end; NaN as well
 */
public record MedianInterval(double median, double low, double high) {
    /** The least probability with which an interval contains the true median. */
    public static final double CONFIDENCE = 0.95;

    /** With fewer figures, even the least and the greatest figure are not an interval of this confidence. */
    public static final int LEAST_FIGURES = 6;

    /** With more figures, the binomial distribution is normal, and 2 to the power of minus their number too small. */
    private static final int MOST_EXACT = 1000;

    /** A normally distributed figure is so many standard deviations from its mean at most, with the confidence. */
    private static final double NORMAL = 1.96;

    /** The median of some figures, and its interval. */
    public static MedianInterval of(double... figures) {
        if (figures.length == 0) {
            return new MedianInterval(Double.NaN, Double.NaN, Double.NaN);
        }
        double median = Spread.of(figures).median();
        int rank = rank(figures.length);
        if (rank == 0) {
            return new MedianInterval(median, Double.NaN, Double.NaN);
        }
        double[] sorted = figures.clone();
        Arrays.sort(sorted);
        return new MedianInterval(median, sorted[rank - 1], sorted[sorted.length - rank]);
    }

    /** Returns whether there were enough figures for an interval. */
    public boolean isBounded() {
        return !Double.isNaN(low);
    }

    /**
     * Returns the highest rank of the interval's lower end that keeps the confidence, counted from 1. The upper end has
     * the same rank, counted from the greatest figure.
     *
     * @return 0 when no rank keeps it
     */
    static int rank(int figures) {
        if (figures > MOST_EXACT) {
            return (int) ((figures - NORMAL * Math.sqrt(figures)) / 2);
        }
        int rank = 0;
        while (confidence(figures, rank + 1) >= CONFIDENCE) {
            rank++;
        }
        return rank;
    }

    /**
     * Returns the probability that the interval between the figures of one rank, counted from both ends, contains the
     * true median; of at most {@link #MOST_EXACT} figures.
     */
    static double confidence(int figures, int rank) {
        double exactly = Math.scalb(1.0, -figures);
        double fewer = 0;
        for (int below = 0; below < rank; below++) {
            fewer += exactly;
            exactly *= (figures - below) / (below + 1.0);
        }
        return 1 - 2 * fewer;
    }
}
