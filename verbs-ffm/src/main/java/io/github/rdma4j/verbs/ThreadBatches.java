// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The batches of one queue, one for each thread that has started one. A thread finds its batch again without a lock. A
 * few batches are kept; a batch that is no longer kept still works for the thread that holds it.
 */
final class ThreadBatches<B extends ThreadBatch> {
    /** A batch has memory for up to 256 requests, and there may be many threads. */
    static final int KEPT = 8;

    private final Function<Thread, B> creation;
    /** Replaced as a whole, never modified. */
    private volatile ThreadBatch[] kept = {};

    ThreadBatches(Function<Thread, B> creation) {
        this.creation = creation;
    }

    /** Returns the calling thread's batch. */
    B own() {
        Thread user = Thread.currentThread();
        for (ThreadBatch batch : kept) {
            if (batch.user() == user) {
                @SuppressWarnings("unchecked")
                B own = (B) batch;
                return own;
            }
        }
        return create(user);
    }

    private synchronized B create(Thread user) {
        List<ThreadBatch> remaining = new ArrayList<>(List.of(kept));
        remaining.removeIf(batch -> !batch.user().isAlive());
        if (remaining.size() == KEPT) {
            remaining.removeFirst();
        }
        B created = creation.apply(user);
        remaining.add(created);
        kept = remaining.toArray(ThreadBatch[]::new);
        return created;
    }
}
