// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;

/** Where the servers of the runs are, one at a time: on this machine, or on another one. For one thread. */
public interface ServerEnd {
    /** The address by which clients reach them. */
    String host();

    /** A TCP port there on which nobody listens now. */
    int freePort();

    /**
     * Starts the server of a run, and waits until its client can connect.
     *
     * @throws io.github.rdma4j.perftest.exit.PerftestException when it cannot be started, or not in time
     */
    Serving serve(ServerProgram program, RunOrder order, Deadline deadline);

    /**
     * Nanoseconds that all processors of the machines that take part have been busy, of {@link
     * io.github.rdma4j.perftest.environment.CpuTime}.
     */
    long busy();
}
