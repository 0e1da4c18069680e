// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.endpoint.Endpoint;

/** Takes in the clients of one transport. Used with the lock of {@link Acceptor} held. No method waits. */
public interface Reception {
    /**
     * Registers the listener with the poller. Each handshake also registers while it lasts.
     */
    void enter(EventPoller poller);

    /** Continues the handshake that has an event. Returns the endpoint if it is complete, otherwise null. */
    Endpoint goOn(EventSource ready);

    /**
     * Begins with new clients, some at a time. Returns the endpoint of one that is complete at once, otherwise null.
     */
    Endpoint begin();

    /** Drops handshakes that have timed out, and the oldest if there are too many. */
    void forgetLate();

    /** Whether something must be done after a while even without an event. */
    boolean awaitsTime();

    /** {@return the nanoseconds until then, at least 0} */
    long nanosToEnd();

    /** Refuses clients that are not accepted yet, and closes. Call again to retry what failed. */
    void close();
}
