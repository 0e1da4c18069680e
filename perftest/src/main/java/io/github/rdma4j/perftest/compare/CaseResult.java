// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import java.util.List;

/**
 * All rounds of one case.
 *
 * @param test tool and size
 * @param order what was run each time
 * @param rounds at least one
 */
record CaseResult(TestCase test, RunOrder order, List<Round> rounds) {
    /** Copies the list. */
    CaseResult {
        rounds = List.copyOf(rounds);
    }

    /** The comparison, metric by metric. */
    List<ComparisonRow> rows() {
        return Metric.of(test.tool()).stream().map(this::row).toList();
    }

    private ComparisonRow row(Metric metric) {
        double[] java = figures(Implementation.JAVA, metric);
        double[] c = figures(Implementation.C, metric);
        boolean lower = metric.lowerIsBetter();
        return new ComparisonRow(
                test,
                metric,
                Statistics.best(java, lower),
                Statistics.best(c, lower),
                Statistics.median(java),
                Statistics.median(c));
    }

    private double[] figures(Implementation implementation, Metric metric) {
        return rounds.stream()
                .mapToDouble(round -> round.of(implementation).figure(metric))
                .toArray();
    }
}
