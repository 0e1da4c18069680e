// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import io.github.rdma4j.perftest.compare.plan.TestCase;
import io.github.rdma4j.perftest.figures.MedianInterval;

/**
 * Java and C in one metric of one case, over all rounds.
 *
 * @param test tool and size
 * @param metric what is compared
 * @param javaMedian the median of Java's figures
 * @param cMedian the median of C's
 * @param ratio Java's over C's, of the rounds
 * @param javaBest the best of Java's figures
 * @param cBest the best of C's
 */
public record ComparisonRow(
        TestCase test,
        Metric metric,
        double javaMedian,
        double cMedian,
        MedianInterval ratio,
        double javaBest,
        double cBest) {
    /** Java's best over C's. */
    public double bestRatio() {
        return javaBest / cBest;
    }
}
