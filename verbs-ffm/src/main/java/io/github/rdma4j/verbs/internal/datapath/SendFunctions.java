// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.internal.HotCalls;
import io.github.rdma4j.verbs.internal.SendRequests;
import java.lang.foreign.MemorySegment;

/**
 * Posts through the provider's function, ibv_post_send(3). The caller admits one thread at a time, and none after the
 * queue pair is closed.
 */
public final class SendFunctions {
    private final MemorySegment function;
    private final boolean critical;
    private final long queuePair;
    private int calls;

    /**
     * Creates the path of one queue pair.
     *
     * @param function the provider's entry in {@code ibv_context_ops}
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp}
     */
    public SendFunctions(MemorySegment function, boolean critical, long queuePair) {
        this.function = function;
        this.critical = critical;
        this.queuePair = queuePair;
    }

    /**
     * Posts a list of requests, from the first to the one that has no successor.
     *
     * @param requests the requests, completely written; a request with inline data has only one entry
     * @return 0 or an errno; then {@link SendRequests#acceptedBeforeRefusal} returns how many were accepted
     */
    public int post(SendRequests requests) {
        int result;
        // Two calls with a constant, because the compiler would load the field a second time after the call.
        if (critical) {
            result = HotCalls.postSend(function, true, queuePair, requests.address(), requests.badRequestAddress());
            HotCalls.letStop(++calls);
        } else {
            result = HotCalls.postSend(function, false, queuePair, requests.address(), requests.badRequestAddress());
        }
        return Math.abs(result);
    }
}
