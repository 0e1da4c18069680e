// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.internal.SendRequests;
import java.util.function.IntSupplier;

/**
 * The path of send requests to the adapter. The caller admits one thread at a time, and none after the queue pair is
 * closed.
 */
public abstract sealed class SendPath permits SendFunctions, RxeSendRing, RxeDatagramRing, Mlx5SendRing {
    SendPath() {}

    /**
     * Posts a list of requests, from the first to the one that has no successor.
     *
     * @param requests the requests, completely written; a request with inline data has only one entry
     * @return 0 or an errno; then {@link SendRequests#acceptedBeforeRefusal} returns how many were accepted
     */
    public abstract int post(SendRequests requests);

    /**
     * Runs a call that destroys or resets the queue pair, after which the adapter has none of its requests and
     * receives.
     *
     * @param call returns 0, or an errno if nothing has changed
     * @param forGood whether the call destroys the queue pair
     * @return what the call returns
     */
    public int forget(IntSupplier call, boolean forGood) {
        return call.getAsInt();
    }

    /** {@return why functions are used although a ring seemed possible at first; empty if they are not} */
    public String refusal() {
        return "";
    }
}
