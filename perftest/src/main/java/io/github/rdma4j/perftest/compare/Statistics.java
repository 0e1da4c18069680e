// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import java.util.Arrays;

/** What is made of the figures of several rounds. */
final class Statistics {
    private Statistics() {}

    /**
     * The best figure.
     *
     * @param figures at least one
     */
    static double best(double[] figures, boolean lowerIsBetter) {
        double[] sorted = sorted(figures);
        return lowerIsBetter ? sorted[0] : sorted[sorted.length - 1];
    }

    /**
     * The one in the middle, or the mean of the two there.
     *
     * @param figures at least one
     */
    static double median(double[] figures) {
        double[] sorted = sorted(figures);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static double[] sorted(double[] figures) {
        if (figures.length == 0) {
            throw new IllegalArgumentException("no figures");
        }
        double[] sorted = figures.clone();
        Arrays.sort(sorted);
        return sorted;
    }
}
