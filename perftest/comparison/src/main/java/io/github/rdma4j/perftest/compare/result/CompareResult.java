// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import io.github.rdma4j.perftest.compare.plan.ComparePlan;
import io.github.rdma4j.perftest.compare.plan.Expectation;
import io.github.rdma4j.perftest.compare.plan.TcpSetting;
import io.github.rdma4j.perftest.result.RunState;
import java.time.Instant;
import java.util.List;

/**
 * A complete comparison, or the results of an incomplete one.
 *
 * @param started the start time
 * @param seconds the duration, including the start of the server's JVM and the warm-up
 * @param conditions of all runs
 * @param plan the plan
 * @param tcp how plain TCP was run; null when it was not
 * @param cases the results, in the order of the plan; an incomplete comparison has the cases with at least one round
 * @param state how it ended
 * @param failure the failure that ended it, in words; null when it is complete
 */
public record CompareResult(
        Instant started,
        double seconds,
        Conditions conditions,
        ComparePlan plan,
        TcpSetting tcp,
        List<CaseResult> cases,
        RunState state,
        String failure) {
    /** Copies the list. */
    public CompareResult {
        cases = List.copyOf(cases);
    }

    /** Creates a complete comparison. */
    public CompareResult(
            Instant started,
            double seconds,
            Conditions conditions,
            ComparePlan plan,
            TcpSetting tcp,
            List<CaseResult> cases) {
        this(started, seconds, conditions, plan, tcp, cases, RunState.COMPLETE, null);
    }

    /** Returns the comparison of all cases. */
    List<ComparisonRow> rows() {
        return cases.stream().flatMap(result -> result.rows().stream()).toList();
    }

    /** Returns the verdict on each expectation; none if the comparison is incomplete, because a case may be missing. */
    public List<Verdict> verdicts() {
        if (state != RunState.COMPLETE) {
            return List.of();
        }
        List<ComparisonRow> rows = rows();
        return plan.expectations().stream()
                .map(expectation -> Verdict.of(expectation, rows))
                .toList();
    }

    /** Returns the expectations that are not met. */
    public List<Expectation> missed() {
        return verdicts().stream()
                .filter(verdict -> !verdict.met())
                .map(Verdict::expectation)
                .toList();
    }
}
