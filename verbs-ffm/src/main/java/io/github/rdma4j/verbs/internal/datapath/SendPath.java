// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.internal.SendRequests;
import java.util.function.IntSupplier;

/**
 * How requests for sending reach the adapter. The caller lets one thread in at a time, and none after the queue pair is
 * closed.
 */
public abstract sealed class SendPath permits SendFunctions, RxeSendRing, RxeDatagramRing, Mlx5SendRing {
    SendPath() {}

    /**
     * Posts a list of requests from its first one to the one that is linked to none.
     *
     * @param requests written completely; those of an entry that carries inline data have no second entry
     * @return 0 or an errno; then {@link SendRequests#acceptedBeforeRefusal} tells how many were accepted
     */
    public abstract int post(SendRequests requests);

    /**
     * Makes a call after which the adapter knows of none of the requests and receives any more: one that destroys the
     * queue pair, or resets it.
     *
     * @param call returns 0, or an errno and has changed nothing
     * @param forGood whether it destroys
     * @return what the call returns
     */
    public int forget(IntSupplier call, boolean forGood) {
        return call.getAsInt();
    }

    /** {@return why the functions are used though nothing spoke against a ring at first; empty if they are not} */
    public String refusal() {
        return "";
    }
}
