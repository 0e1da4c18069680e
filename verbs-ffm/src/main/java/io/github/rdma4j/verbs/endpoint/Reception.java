// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.EventPoller;

/** One way by which clients come to a server. Used with the lock of {@link Acceptor} held; nothing waits. */
interface Reception {
    /** From now on the poller tells when there is something to do, and each handshake enters it while it lasts. */
    void enter(EventPoller poller);

    /** Goes on with all handshakes; the endpoint of one that is complete, null if there is none. */
    Endpoint next();

    boolean hasHandshakes();

    /** How long it is until a handshake is to be forgotten, in nanoseconds, from 0. */
    long nanosToEnd();

    /** Refuses those that are not accepted yet, and ends. What fails is tried again by another call. */
    void close();
}
