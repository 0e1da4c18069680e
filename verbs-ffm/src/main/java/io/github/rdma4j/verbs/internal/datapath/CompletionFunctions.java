// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.internal.HotCalls;
import io.github.rdma4j.verbs.internal.UseGuard;
import java.lang.foreign.MemorySegment;

/** Polls through the provider's function, ibv_poll_cq(3), which has its own lock. */
public final class CompletionFunctions extends CompletionPath {
    private final UseGuard guard;
    private final MemorySegment function;
    private final boolean critical;
    private final long queue;
    private int calls;

    /**
     * Creates the path of one completion queue.
     *
     * @param guard closed by the queue's owner
     * @param function the provider's entry in {@code ibv_context_ops}
     * @param critical whether the provider polls without a system call
     * @param queue the {@code struct ibv_cq}
     */
    public CompletionFunctions(UseGuard guard, MemorySegment function, boolean critical, long queue) {
        this.guard = guard;
        this.function = function;
        this.critical = critical;
        this.queue = queue;
    }

    @Override
    public boolean enter() {
        return guard.enter();
    }

    @Override
    public void exit() {
        guard.exit();
    }

    @Override
    public void close() {
        // The owner's guard admits no thread.
    }

    @Override
    public void reopen() {
        // As above.
    }

    @Override
    public int poll(int entries, long workCompletions) {
        int found = HotCalls.poll(function, critical, queue, entries, workCompletions);
        if (critical) {
            HotCalls.letStop(++calls);
        }
        return found;
    }
}
