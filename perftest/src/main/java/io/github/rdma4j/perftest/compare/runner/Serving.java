// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import java.util.concurrent.CompletableFuture;

/** The server of a run. Closing ends it, if it has not ended. */
public interface Serving extends AutoCloseable {
    /**
     * Waits until it is done with its client.
     *
     * @return CPU time that it has used, of {@link io.github.rdma4j.perftest.environment.CpuTime}; without what is
     *     counted among the ended children of this JVM
     * @throws io.github.rdma4j.perftest.exit.PerftestException when it fails, or takes too long
     */
    long finish(Deadline deadline);

    /** What it says of a run that failed on the client's side; an empty text when it says nothing within a second. */
    String complaint();

    /** Is complete when it has ended, as far as this machine can see that. */
    default CompletableFuture<?> ended() {
        return new CompletableFuture<>();
    }

    /**
     * Whether all is well with it, as far as this machine can see that: a client would wait for one that has failed.
     *
     * @throws io.github.rdma4j.perftest.exit.CompareException when it has failed
     */
    default void check() {}

    @Override
    void close();
}
