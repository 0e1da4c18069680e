// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.result.RunState;
import java.time.Instant;
import java.util.List;

/**
 * A comparison of endpoints with TCP.
 *
 * @param started when
 * @param seconds how long it took
 * @param place where
 * @param plan what was asked for
 * @param results in the order of the measurements
 * @param state how it ended
 * @param failure what ended it before its end; null when nothing did
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
