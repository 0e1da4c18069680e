// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import java.time.Instant;
import java.util.List;

/**
 * A comparison that is over.
 *
 * @param started when
 * @param seconds how long it took, with the start of the JVM's server and the warm-up
 * @param conditions of all runs
 * @param plan what was asked for
 * @param tcp how plain TCP was run; null when it was not
 * @param cases the results, in the order of the plan
 */
record CompareResult(
        Instant started,
        double seconds,
        Conditions conditions,
        ComparePlan plan,
        TcpSetting tcp,
        List<CaseResult> cases) {
    /** Copies the list. */
    CompareResult {
        cases = List.copyOf(cases);
    }

    /** The comparison of all cases. */
    List<ComparisonRow> rows() {
        return cases.stream().flatMap(result -> result.rows().stream()).toList();
    }

    /** The expectations that are not met. */
    List<Expectation> missed() {
        List<ComparisonRow> rows = rows();
        return plan.expectations().stream()
                .filter(expectation -> !expectation.isMet(expectation.ratio(rows)))
                .toList();
    }
}
