// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import io.github.rdma4j.perftest.compare.plan.CompareCase;
import io.github.rdma4j.perftest.figures.MedianInterval;

/**
 * Java and C in one metric of one case, over all rounds.
 *
 * @param test tool and size
 * @param metric the compared metric
 * @param javaMedian the median of Java's figures
 * @param cMedian the median of C's figures
 * @param ratio the ratio of Java's figure to C's, over the rounds
 * @param javaBest the best of Java's figures
 * @param cBest the best of C's figures
 */
public record ComparisonRow(
        CompareCase test,
        Metric metric,
        double javaMedian,
        double cMedian,
        MedianInterval ratio,
        double javaBest,
        double cBest) {
    /** Returns the ratio of Java's best to C's. */
    public double bestRatio() {
        return javaBest / cBest;
    }
}
