// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.internal.ReceiveRequests;
import java.util.function.IntSupplier;

/**
 * The path of receives to the adapter: of a queue pair, a shared receive queue or a work queue. The caller admits one
 * thread at a time, and none after the queue is closed.
 */
public abstract sealed class ReceivePath permits ReceiveFunctions, RxeReceiveRing, Mlx5ReceiveRing {
    ReceivePath() {}

    /**
     * Posts a list of receives, from the first to the one that has no successor.
     *
     * @param requests the requests, completely written
     * @return 0 or an errno; then {@link ReceiveRequests#acceptedBeforeRefusal} returns how many were accepted
     */
    public abstract int post(ReceiveRequests requests);

    /**
     * Runs a call that changes the length of the queue, with no thread inside.
     *
     * @param resize the call
     * @return what the call returns
     */
    public int resize(IntSupplier resize) {
        return resize.getAsInt();
    }
}
