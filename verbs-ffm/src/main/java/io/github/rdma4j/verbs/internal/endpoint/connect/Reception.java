// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.endpoint.Endpoint;

/** One way by which clients come to a server. Used with the lock of {@link Acceptor} held; nothing waits. */
public interface Reception {
    /**
     * Registers with the poller, which reports when there is something to do; so does each handshake while it lasts.
     */
    void enter(EventPoller poller);

    /** Goes on with the handshake for which something has come; the endpoint if it is complete, else null. */
    Endpoint goOn(EventSource ready);

    /** Begins with those that have come, some at a time; the endpoint of one that is complete at once, else null. */
    Endpoint begin();

    /** Forgets those whose time is over, and the oldest of too many. */
    void forgetLate();

    /** Whether there will be something to do though nothing comes. */
    boolean awaitsTime();

    /** How long it is until then, in nanoseconds, from 0. */
    long nanosToEnd();

    /** Refuses those that are not accepted yet, and ends. Call again to retry what failed. */
    void close();
}
