// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.internal.HotCalls;
import io.github.rdma4j.verbs.internal.ReceiveRequests;
import java.lang.foreign.MemorySegment;

/**
 * Posts through the provider's function: ibv_post_recv(3), ibv_post_srq_recv(3), or a work queue's own. The caller
 * admits one thread at a time, and none after the queue is closed.
 */
public final class ReceiveFunctions {
    private final MemorySegment function;
    private final boolean critical;
    private final long queue;
    private int calls;

    /**
     * Creates the path of one queue.
     *
     * @param function the provider's entry in {@code ibv_context_ops}, or a work queue's own
     * @param critical whether the provider posts without a system call
     * @param queue the {@code struct ibv_qp}, {@code ibv_srq} or {@code ibv_wq}
     */
    public ReceiveFunctions(MemorySegment function, boolean critical, long queue) {
        this.function = function;
        this.critical = critical;
        this.queue = queue;
    }

    /**
     * Posts a list of receives, from the first to the one that has no successor.
     *
     * @param requests the requests, completely written
     * @return 0 or an errno; then {@link ReceiveRequests#acceptedBeforeRefusal} returns how many were accepted
     */
    public int post(ReceiveRequests requests) {
        int result;
        // Two calls with a constant, because the compiler would load the field a second time after the call.
        if (critical) {
            result = HotCalls.postReceive(function, true, queue, requests.address(), requests.badRequestAddress());
            HotCalls.letStop(++calls);
        } else {
            result = HotCalls.postReceive(function, false, queue, requests.address(), requests.badRequestAddress());
        }
        return Math.abs(result);
    }
}
