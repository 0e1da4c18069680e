// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.TestListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Runs all rounds of a size. */
final class BandwidthRounds {
    private BandwidthRounds() {}

    /**
     * Runs them. What a broken test has measured of the size until then is told before the failure goes on.
     *
     * @param round does one
     * @param listener hears of the rounds that were done, where one was broken off
     * @return all of them together
     */
    static BandwidthResult run(int count, Supplier<BandwidthResult> round, TestListener listener) {
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
