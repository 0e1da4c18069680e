// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;

/** The wire of an endpoint in a group, which takes what was queued for the endpoint. */
public interface ArrivalSink {
    /**
     * Takes the content of a receive buffer.
     *
     * @param sent whether it is a message; a write with immediate data also consumes a receive
     * @param byteLength of the arrival
     */
    void giveReceived(
            WireEvents protocol, int buffer, boolean sent, boolean hasImmediate, int immediate, long byteLength);

    /** Takes the end of a send request. */
    void giveSent(WireEvents protocol, long id);

    /**
     * Takes a failure.
     *
     * @param description what failed, in words
     */
    void giveFailed(WireEvents protocol, long id, WorkCompletionStatus status, int vendorError, String description);
}
