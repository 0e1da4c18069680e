// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import io.github.rdma4j.perftest.environment.Environment;
import java.time.Instant;
import java.util.List;

/**
 * The result of a test.
 *
 * @param info the properties of the test
 * @param started the start time
 * @param seconds the time from the start to the end of the last run
 * @param environment device and machine
 * @param results one per size; the server of a one-way bandwidth test has only the client's last result
 * @param observations the state of the machine for each result; empty when not requested
 * @param state how the test ended
 * @param failure the failure that ended it, in words; null when it is complete
 */
public record RunOutcome(
        RunInfo info,
        Instant started,
        double seconds,
        Environment environment,
        List<SizeResult> results,
        List<Observation> observations,
        RunState state,
        String failure) {
    /** Copies the lists. */
    public RunOutcome {
        results = List.copyOf(results);
        observations = List.copyOf(observations);
    }

    /** Creates the outcome of a complete test. */
    public RunOutcome(
            RunInfo info,
            Instant started,
            double seconds,
            Environment environment,
            List<SizeResult> results,
            List<Observation> observations) {
        this(info, started, seconds, environment, results, observations, RunState.COMPLETE, null);
    }

    /** Creates an outcome without observations. */
    public RunOutcome(
            RunInfo info, Instant started, double seconds, Environment environment, List<SizeResult> results) {
        this(info, started, seconds, environment, results, List.of());
    }

    /**
     * Returns the state of the machine during the run of a result.
     *
     * @param index of the result
     * @return null without observations
     */
    public Observation observation(int index) {
        return index < observations.size() ? observations.get(index) : null;
    }
}
