// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.internal.HotCalls;
import java.lang.foreign.MemorySegment;

/** Polls through the provider's function, ibv_poll_cq(3), which has its own lock. */
public final class CompletionFunctions {
    private final MemorySegment function;
    private final boolean critical;
    private final long queue;
    private int calls;

    /**
     * Creates the path of one completion queue.
     *
     * @param function the provider's entry in {@code ibv_context_ops}
     * @param critical whether the provider polls without a system call
     * @param queue the {@code struct ibv_cq}
     */
    public CompletionFunctions(MemorySegment function, boolean critical, long queue) {
        this.function = function;
        this.critical = critical;
        this.queue = queue;
    }

    /**
     * Fetches completions; the calling thread is inside the queue's guard.
     *
     * @param entries the maximum number to fetch
     * @param workCompletions receives them, an array of {@code struct ibv_wc}
     * @return how many were fetched, negative if the queue has failed
     */
    public int poll(int entries, long workCompletions) {
        // Two calls with a constant, because the compiler would load the field a second time after the call.
        if (critical) {
            int found = HotCalls.poll(function, true, queue, entries, workCompletions);
            HotCalls.letStop(++calls);
            return found;
        }
        return HotCalls.poll(function, false, queue, entries, workCompletions);
    }
}
