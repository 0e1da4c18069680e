// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import io.github.rdma4j.perftest.compare.plan.Expectation;
import java.util.List;

/**
 * The result of an expectation.
 *
 * @param expectation the requested ratio
 * @param row the row of its case and the tool's first metric
 */
public record Verdict(Expectation expectation, ComparisonRow row) {
    /**
     * Finds the row.
     *
     * @param rows of all cases
     */
    public static Verdict of(Expectation expectation, List<ComparisonRow> rows) {
        return new Verdict(
                expectation,
                rows.stream()
                        .filter(row -> row.test().equals(expectation.test()))
                        .findFirst()
                        .orElseThrow());
    }

    /** Returns the ratio that the expectation is about. */
    public double ratio() {
        return expectation.best() ? row.bestRatio() : row.ratio().median();
    }

    /** Returns whether the ratio is as expected. */
    public boolean met() {
        return expectation.isMet(ratio());
    }
}
