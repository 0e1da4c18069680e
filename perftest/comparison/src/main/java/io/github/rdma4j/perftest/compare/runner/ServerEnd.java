// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;

/** The machine of the servers, which run one at a time: this machine or another one. For use by one thread. */
public interface ServerEnd {
    /** Returns the address by which clients reach the servers. */
    String host();

    /** Returns a TCP port that is free there now. */
    int freePort();

    /**
     * Starts the server of a run, and waits until its client can connect.
     *
     * @throws io.github.rdma4j.perftest.exit.PerftestException when it cannot be started, or times out
     */
    Serving serve(ServerProgram program, RunOrder order, Deadline deadline);

    /**
     * Returns the busy time in nanoseconds of all processors of the machines that take part, from {@link
     * io.github.rdma4j.perftest.environment.CpuTime}.
     */
    long busy();
}
