// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import io.github.rdma4j.perftest.environment.Environment;
import java.time.Instant;
import java.util.List;

/**
 * What a test measured.
 *
 * @param info what was tested
 * @param started when
 * @param seconds from then to the end of the last run
 * @param environment device and machine
 * @param results one per size; the server of a one-way bandwidth test has one, the client's last
 * @param observations what was seen of the machine, one per result; empty when nothing was asked for
 * @param state how the test ended
 * @param failure what ended it, in words; null when it came to its end
 */
public record TestOutcome(
        TestInfo info,
        Instant started,
        double seconds,
        Environment environment,
        List<SizeResult> results,
        List<Observation> observations,
        RunState state,
        String failure) {
    /** Copies the lists. */
    public TestOutcome {
        results = List.copyOf(results);
        observations = List.copyOf(observations);
    }

    /** A test that came to its end. */
    public TestOutcome(
            TestInfo info,
            Instant started,
            double seconds,
            Environment environment,
            List<SizeResult> results,
            List<Observation> observations) {
        this(info, started, seconds, environment, results, observations, RunState.COMPLETE, null);
    }

    /** Nothing was observed. */
    public TestOutcome(
            TestInfo info, Instant started, double seconds, Environment environment, List<SizeResult> results) {
        this(info, started, seconds, environment, results, List.of());
    }

    /**
     * What was seen of the machine during the run of a result.
     *
     * @param index of the result
     * @return null for nothing
     */
    public Observation observation(int index) {
        return index < observations.size() ? observations.get(index) : null;
    }
}
