// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.result.RunState;
import java.time.Instant;
import java.util.List;

/**
 * The complete result.
 *
 * @param started the start time
 * @param seconds the duration
 * @param environment rank 0's
 * @param library NCCL's version and file
 * @param places of all ranks, in order
 * @param timings in the order of measuring
 * @param choices NCCL's choices, of all ranks
 * @param logNote why there are no values from NCCL's log; empty if there are
 * @param state how the run ended
 * @param failure the failure that ended it, in words; null when the run is complete
 */
record AllReduceReport(
        Instant started,
        double seconds,
        Environment environment,
        String library,
        List<Place> places,
        List<Timing> timings,
        List<RankChoice> choices,
        String logNote,
        RunState state,
        String failure) {
    /** Returns this report as an incomplete one. */
    AllReduceReport ended(RunState how, String why) {
        return new AllReduceReport(started, seconds, environment, library, places, timings, choices, logNote, how, why);
    }

    int ranks() {
        return places.size();
    }

    long wrong() {
        return timings.stream().mapToLong(Timing::wrong).sum();
    }

    long compared() {
        return timings.stream().mapToLong(Timing::compared).sum();
    }

    /** Returns the average over all sizes, in place and out of place, as nccl-tests prints it at the end. */
    double averageBusBandwidth() {
        return timings.stream()
                .mapToDouble(each -> each.busBandwidth(ranks()))
                .average()
                .orElse(0);
    }
}
