// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.internal.ReceiveRequests;
import java.util.function.IntSupplier;

/**
 * How receives reach the adapter: those of a queue pair, a shared receive queue or a work queue. The caller lets one
 * thread in at a time, and none after the queue is closed.
 */
public abstract sealed class ReceivePath permits ReceiveFunctions, RxeReceiveRing, Mlx5ReceiveRing {
    ReceivePath() {}

    /**
     * Posts a list of receives from its first one to the one that is linked to none.
     *
     * @param requests written completely
     * @return 0 or an errno; then {@link ReceiveRequests#acceptedBeforeRefusal} tells how many were accepted
     */
    public abstract int post(ReceiveRequests requests);

    /**
     * Makes a call that gives the queue another length, with no thread inside.
     *
     * @param resize the call
     * @return what the call returns
     */
    public int resize(IntSupplier resize) {
        return resize.getAsInt();
    }
}
