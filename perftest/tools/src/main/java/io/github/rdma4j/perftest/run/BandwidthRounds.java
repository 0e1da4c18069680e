// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.RunListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Runs all rounds of a size. */
final class BandwidthRounds {
    private BandwidthRounds() {}

    /**
     * Runs the rounds. If one fails, reports the results of the rounds before it, and throws the failure.
     *
     * @param round runs one round
     * @param listener receives the results so far if a round fails
     * @return the result of all rounds together
     */
    static BandwidthResult run(int count, Supplier<BandwidthResult> round, RunListener listener) {
        List<BandwidthResult> rounds = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                rounds.add(round.get());
            }
        } catch (RuntimeException failure) {
            if (!rounds.isEmpty()) {
                listener.result(BandwidthResult.together(rounds));
            }
            throw failure;
        }
        return BandwidthResult.together(rounds);
    }
}
