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
 * A comparison that is over, or as much of one as was measured.
 *
 * @param started when
 * @param seconds how long it took, with the start of the JVM's server and the warm-up
 * @param conditions of all runs
 * @param plan what was asked for
 * @param tcp how plain TCP was run; null when it was not
 * @param cases the results, in the order of the plan; of one that was broken off those that have a round
 * @param state how it ended
 * @param failure what ended it, in words; null when it came to its end
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

    /** A comparison that came to its end. */
    public CompareResult(
            Instant started,
            double seconds,
            Conditions conditions,
            ComparePlan plan,
            TcpSetting tcp,
            List<CaseResult> cases) {
        this(started, seconds, conditions, plan, tcp, cases, RunState.COMPLETE, null);
    }

    /** The comparison of all cases. */
    List<ComparisonRow> rows() {
        return cases.stream().flatMap(result -> result.rows().stream()).toList();
    }

    /** What it says to each expectation; nothing if it was broken off, perhaps before the case was run. */
    public List<Verdict> verdicts() {
        if (state != RunState.COMPLETE) {
            return List.of();
        }
        List<ComparisonRow> rows = rows();
        return plan.expectations().stream()
                .map(expectation -> Verdict.of(expectation, rows))
                .toList();
    }

    /** The expectations that are not met. */
    public List<Expectation> missed() {
        return verdicts().stream()
                .filter(verdict -> !verdict.met())
                .map(Verdict::expectation)
                .toList();
    }
}
