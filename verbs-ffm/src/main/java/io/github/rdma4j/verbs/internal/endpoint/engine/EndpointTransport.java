// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Wire;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The transport of an endpoint: a {@link Wire} whose events {@link Engine} takes in, on which threads sleep, and which
 * can be closed.
 */
public interface EndpointTransport extends Wire {
    /**
     * Passes everything that has arrived to the protocol, without waiting. If the protocol throws for lack of memory,
     * the next call passes that event and the events behind it again.
     *
     * @return how many events there were
     */
    int poll(WireEvents protocol);

    /**
     * Returns whether a thread should poll before its own operation. False if a poll would most likely be a useless
     * system call.
     *
     * @param now the current {@link System#nanoTime}
     * @param sleeps whether the thread sleeps if its operation fails, and so polls anyway
     */
    default boolean isPollDue(long now, boolean sleeps) {
        return true;
    }

    /**
     * Allows the transport to gather posted messages. The next poll, the next arming, or a thread of the transport
     * sends them.
     *
     * @param flush sends the gathered messages with the engine's lock held; returns false if another thread has the
     *     lock
     */
    default void gather(BooleanSupplier flush) {}

    /** Sends the gathered messages. */
    default void flush() {}

    /**
     * Passes what has arrived to the protocol. In a group it passes only what is queued for this endpoint, and does not
     * poll the adapter.
     */
    default int takeIn(WireEvents protocol) {
        return poll(protocol);
    }

    /** Returns why the connection has ended; null if the connection manager has reported no end yet. Never waits. */
    String lost();

    /** Whether this side's transport, not the peer, has ended the connection. */
    default boolean isLostByTheWire() {
        return false;
    }

    /** Returns why requests are late, if threads of the peer's program serve them; null if an adapter does. */
    default String whyLate() {
        return null;
    }

    /** Opens what a sleep needs, before the first one. */
    void prepareToSleep();

    /**
     * Makes later arrivals end a sleep. Earlier arrivals do not: poll again.
     *
     * @param ends whether completions of sends also end a sleep; messages and failures always do
     */
    void arm(boolean ends);

    /** As {@link #arm}, for a thread that calls {@link #sleep} next. */
    default void armToSleep(boolean ends) {
        arm(ends);
    }

    /**
     * Arms before the poll of a selector that will sleep next, which saves another arming and poll.
     *
     * @return whether arrivals after the next poll raise an event; false if that does not pay
     */
    default boolean armEarly(boolean ends) {
        return false;
    }

    /** After {@link #armEarly}: whether the event has not been taken yet. */
    default boolean isArmed() {
        return false;
    }

    /** Whether it is armed, but neither an event nor the next check reports completions of sends. */
    boolean missesEnds();

    /**
     * Returns after how many nanoseconds a selector must arm and poll again, although no event comes. Called after the
     * poll that follows {@link #arm}.
     *
     * @param ends whether completions of sends matter
     * @return {@link Long#MAX_VALUE} if events report everything
     */
    default long nanosToNextArm(boolean ends) {
        return Long.MAX_VALUE;
    }

    /**
     * Announces the poll before a check of the timeouts. A selector may not have polled for long, so this poll also
     * finds what raises no event.
     *
     * @return whether {@link #lost()} may have a reason that raises no event
     */
    default boolean beginCheck() {
        return false;
    }

    /**
     * Sleeps until something arrives, the connection manager has an event, or {@link #wakeUp()} is called. Without the
     * endpoint's lock.
     */
    void sleep(long nanos);

    /** Called after a sleep, with the lock again. Returns whether {@link #lost()} may have a reason. */
    boolean awake();

    /** Records an event that ends a sleep, and that a selector has seen; see {@link #events()}. */
    void eventCame();

    /**
     * {@return the event sources for a selector, which sleeps instead of the endpoint's threads}
     */
    Events events();

    /**
     * The sources of the events that end a sleep. Both are null in a group, which has them for all of its endpoints.
     *
     * @param queue reports arrivals
     * @param link reports that {@link #lost()} may have a reason; null if there is no such source
     */
    record Events(EventSource queue, EventSource link) {}

    /**
     * Sets the callback of a selector.
     *
     * @param arrival in a group: runs when something was queued for this endpoint, without the endpoint's lock. Null if
     *     no selector watches any more
     */
    default void watch(Runnable arrival) {}

    /**
     * Announces that a selector polls next. A transport whose events are {@linkplain #isReported reported} then reads
     * only after an event.
     */
    default void beginVisit() {}

    /** Whether the kernel reports every arrival to a selector without arming. */
    default boolean isReported() {
        return false;
    }

    /** In a group: whether something is queued for this endpoint, or {@link #takeLinkReport} would return true. */
    default boolean hasArrivals() {
        return true;
    }

    /** In a group: whether {@link #lost()} may have a reason. Returns true once for each event. */
    default boolean takeLinkReport() {
        return false;
    }

    /** {@return the memory that only the peer may use, if this side's threads serve it; null if an adapter does} */
    default Exposures grants() {
        return null;
    }

    /** Ends the current sleep or, if there is none, the next one. */
    void wakeUp();

    /** {@return the message in a receive buffer, for a handler} */
    Message message(int buffer, long length);

    /** Queries the link. */
    <T> Optional<T> ask(Function<Link, Optional<T>> question);

    /** Ends the connection, and a sleep. Call again to retry a failed close. */
    void close();

    /**
     * Frees the memory, which no handler uses any more. Idempotent; another call retries what could not be freed.
     */
    void free();
}
