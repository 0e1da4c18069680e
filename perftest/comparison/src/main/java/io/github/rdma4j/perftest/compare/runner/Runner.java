// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.Measurement;

/** Runs tools, with the client on this machine. */
public interface Runner {
    /**
     * Runs an order.
     *
     * @return the client's measurement
     * @throws io.github.rdma4j.perftest.exit.PerftestException when it fails or takes longer than the order allows
     */
    Measurement run(RunOrder order);

    /** Returns whether it has something to run for the order. */
    default boolean canRun(RunOrder order) {
        return true;
    }

    /** Returns whether a run with few messages measures the overhead of a longer run. */
    default boolean hasShortRun() {
        return true;
    }
}
