// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.Measurement;

/** Makes one run; its client is on this machine. */
public interface Runner {
    /**
     * Runs it.
     *
     * @return what the client measured
     * @throws io.github.rdma4j.perftest.exit.PerftestException when it fails or takes longer than the order allows
     */
    Measurement run(RunOrder order);

    /** Whether it has something to run for the order. */
    default boolean canRun(RunOrder order) {
        return true;
    }

    /** Whether a run of few messages shows what stands around the messages of a longer one. */
    default boolean hasShortRun() {
        return true;
    }
}
