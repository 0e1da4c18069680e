// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.result.RunState;
import java.time.Instant;
import java.util.List;

/**
 * A comparison of endpoints with TCP.
 *
 * @param started the start time
 * @param seconds the duration
 * @param place the place of the measurement
 * @param plan the plan
 * @param results in the order of the measurements
 * @param state how it ended
 * @param failure the failure that ended it early; null without one
 */
public record EndpointsResult(
        Instant started,
        double seconds,
        EchoPlace place,
        EndpointsPlan plan,
        List<EchoResult> results,
        RunState state,
        String failure) {
    /** Copies the list. */
    public EndpointsResult {
        results = List.copyOf(results);
    }
}
