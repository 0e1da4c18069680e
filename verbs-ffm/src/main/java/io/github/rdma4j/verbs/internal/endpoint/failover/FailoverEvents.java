// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import java.time.Duration;

/**
 * The events that end a sleep of an endpoint with two wires: TCP's, RDMA's while there is a connection, and a wake-up.
 */
final class FailoverEvents {
    private final EndpointTransport tcp;
    /** Null until a thread sleeps. */
    private EventPoller poller;
    /** Whether a wake-up was requested. */
    private boolean woken;

    FailoverEvents(EndpointTransport tcp) {
        this.tcp = tcp;
    }

    /**
     * Opens what a sleep needs, before the first one.
     *
     * @param rdma the connection over RDMA; null if there is none
     */
    void prepare(EndpointTransport rdma) {
        if (poller == null) {
            EventPoller opened = EventPoller.open();
            try {
                opened.add(tcp.events().queue());
                if (rdma != null) {
                    opened.add(rdma.events().queue());
                }
            } catch (Throwable e) {
                CloseAll.after(e, opened::close);
                throw e;
            }
            poller = opened;
        }
    }

    /** Adds the events of an RDMA connection. */
    void add(EndpointTransport rdma) {
        if (poller != null) {
            poller.add(rdma.events().queue());
        }
    }

    void remove(EndpointTransport rdma) {
        if (poller != null) {
            poller.remove(rdma.events().queue());
        }
    }

    /** Returns the events for a selector, which sleeps instead of the endpoint's threads. After {@link #prepare}. */
    EndpointTransport.Events forSelector() {
        return new EndpointTransport.Events(poller, null);
    }

    /** Sleeps, after {@link #prepare}, without the endpoint's lock. */
    void sleep(long nanos) {
        EventPoller waiting = poller;
        try {
            waiting.select(Duration.ofNanos(nanos), source -> {});
        } catch (IllegalStateException e) {
            // The poller was closed with the endpoint, which the caller checks next.
            if (waiting.isOpen()) {
                throw e;
            }
        }
    }

    void wakeUp() {
        if (poller != null && poller.isOpen()) {
            woken = true;
            poller.wakeUp();
        }
    }

    /** Clears a wake-up that came too late for a sleep: it would stay ready for a selector forever. */
    void forgetWakeUp() {
        if (woken) {
            woken = false;
            poller.select(Duration.ZERO, source -> {});
        }
    }

    void close() {
        if (poller != null) {
            poller.close();
        }
    }
}
