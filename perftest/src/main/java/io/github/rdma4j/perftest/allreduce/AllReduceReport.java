// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.result.RunState;
import java.time.Instant;
import java.util.List;

/**
 * All that came out.
 *
 * @param started when
 * @param seconds how long it took
 * @param environment rank 0's
 * @param library NCCL's version and file
 * @param places of all ranks, in order
 * @param timings in the order of measuring
 * @param choices what NCCL chose, of all ranks
 * @param logNote why there is nothing of NCCL's log; empty if there is
 * @param state how it ended
 * @param failure what ended it, in words; null when it came to its end
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
    /** This report, broken off. */
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

    /** As nccl-tests tell it at the end: of all sizes, in place and out of place. */
    double averageBusBandwidth() {
        return timings.stream()
                .mapToDouble(each -> each.busBandwidth(ranks()))
                .average()
                .orElse(0);
    }
}
