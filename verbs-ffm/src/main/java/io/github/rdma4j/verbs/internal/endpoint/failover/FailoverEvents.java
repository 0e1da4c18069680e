// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.internal.endpoint.engine.Carrier;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import java.time.Duration;

/**
 * The events that end a sleep of an endpoint with two wires: TCP's, RDMA's while there is a connection, and a wake-up.
 */
final class FailoverEvents {
    private final Carrier tcp;
    /** Null until somebody sleeps. */
    private EventPoller poller;
    /** Somebody has asked for the end of a sleep. */
    private boolean woken;

    FailoverEvents(Carrier tcp) {
        this.tcp = tcp;
    }

    /**
     * Opens what a sleep needs, the first time.
     *
     * @param rdma the connection over RDMA; null if there is none
     */
    void prepare(Carrier rdma) {
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

    /** From now on, events of this connection also count. */
    void add(Carrier rdma) {
        if (poller != null) {
            poller.add(rdma.events().queue());
        }
    }

    void remove(Carrier rdma) {
        if (poller != null) {
            poller.remove(rdma.events().queue());
        }
    }

    /** For a selector that sleeps in the endpoint's stead; behind {@link #prepare}. */
    Carrier.Events forSelector() {
        return new Carrier.Events(poller, null);
    }

    /** Behind {@link #prepare}. Without the endpoint's lock. */
    void sleep(long nanos) {
        EventPoller waiting = poller;
        try {
            waiting.select(Duration.ofNanos(nanos), source -> {});
        } catch (IllegalStateException e) {
            // It was closed with the endpoint; the caller sees that next.
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

    /** Behind a sleep: a wake-up that came too late for it would be ready for a selector for ever. */
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
