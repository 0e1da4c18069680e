// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import java.util.concurrent.CompletableFuture;

/** The server of a run. Closing this stops it, unless it has ended. */
public interface Serving extends AutoCloseable {
    /**
     * Waits until the server is done with its client.
     *
     * @return the CPU time that it has used, as in {@link io.github.rdma4j.perftest.environment.CpuTime}, without the
     *     time that is counted for ended children of this JVM
     * @throws io.github.rdma4j.perftest.exit.PerftestException when it fails or times out
     */
    long finish(Deadline deadline);

    /**
     * Returns the server's complaint about a run that failed on the client's side; an empty text if there is none
     * within a second.
     */
    String complaint();

    /** Returns a future that completes when it has ended, as far as this machine can see. */
    default CompletableFuture<?> ended() {
        return new CompletableFuture<>();
    }

    /**
     * Checks that the server has not failed, as far as this machine can see: a client would wait for a failed one.
     *
     * @throws io.github.rdma4j.perftest.exit.CompareException when it has failed
     */
    default void check() {}

    @Override
    void close();
}
