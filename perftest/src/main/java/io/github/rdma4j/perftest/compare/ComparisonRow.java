// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

/**
 * Java and C in one metric of one case, over all rounds.
 *
 * @param test tool and size
 * @param metric what is compared
 * @param javaBest the best of Java's figures
 * @param cBest the best of C's
 * @param javaMedian the median of Java's
 * @param cMedian the median of C's
 */
record ComparisonRow(TestCase test, Metric metric, double javaBest, double cBest, double javaMedian, double cMedian) {
    /** Java's best over C's. */
    double bestRatio() {
        return javaBest / cBest;
    }

    /** Java's median over C's. */
    double medianRatio() {
        return javaMedian / cMedian;
    }
}
