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
 * What {@link Engine} needs besides a {@link Wire}: to take in its events, to sleep until there is one, and to end it.
 */
public interface Carrier extends Wire {
    /**
     * Gives everything that has come to the protocol, without waiting. If the protocol throws for lack of
     * memory, the next call gives that event and those behind it again.
     *
     * @return how many events there were
     */
    int poll(WireEvents protocol);

    /**
     * Returns whether a thread that enters should poll before it tries what it came for. False if a poll would most
     * likely be a system call for nothing.
     *
     * @param now of {@link System#nanoTime}
     * @param sleeps whether the thread sleeps if it does not get what it came for, and so polls anyway
     */
    default boolean isPollDue(long now, boolean sleeps) {
        return true;
    }

    /**
     * Allows the carrier to gather posted messages, which the next poll sends, or arming, or a thread of the carrier.
     *
     * @param flush sends what was gathered with the engine's lock, unless another thread has it; whether it did
     */
    default void gather(BooleanSupplier flush) {}

    /** Sends what was gathered. */
    default void flush() {}

    /**
     * Gives what has come to the protocol; of a group only what others have put down for this endpoint, without asking
     * the adapter.
     */
    default int takeIn(WireEvents protocol) {
        return poll(protocol);
    }

    /** Why the connection has ended, as far as the connection manager knows by now; null if it has not. Never waits. */
    String lost();

    /** Whether the wire has ended the connection, which is lost, and not the peer. */
    default boolean isLostByTheWire() {
        return false;
    }

    /** Why what was posted is not done yet, where threads of the peer's program do it; null where an adapter does. */
    default String whyLate() {
        return null;
    }

    /** Opens what a sleep needs, the first time. */
    void prepareToSleep();

    /**
     * From now on, what comes ends a sleep. What came before does not: poll again.
     *
     * @param ends whether the ends of posts also count; messages from the peer and failures always do
     */
    void arm(boolean ends);

    /** From now on, what comes ends a sleep, for a thread that calls {@link #sleep} next. */
    default void armToSleep(boolean ends) {
        arm(ends);
    }

    /**
     * Arms before what has come is polled for, of a selector that will sleep next: then it need not arm and poll once
     * more.
     *
     * @return whether what comes behind the next poll is an event; false where that is not worth it
     */
    default boolean armEarly(boolean ends) {
        return false;
    }

    /** After {@link #armEarly}: whether the event has not been taken yet. */
    default boolean isArmed() {
        return false;
    }

    /** Whether it is armed, and the ends of what was posted do not count. */
    boolean missesEnds();

    /**
     * Sleeps until something comes, {@link #lost()} has something to say, or {@link #wakeUp()} is called. Without the
     * endpoint's lock.
     */
    void sleep(long nanos);

    /** After a sleep, with the lock again; whether {@link #lost()} may have something to say. */
    boolean awake();

    /** An event that ends a sleep has come, and somebody else has seen it; see {@link #events()}. */
    void eventCame();

    /**
     * The event sources for a selector that sleeps instead of this wire's threads: the armed one, and the one that
     * reports the end of the connection.
     */
    Events events();

    /**
     * The two things that end a sleep; in a group, which has both for all of its endpoints, null.
     *
     * @param queue something has come
     * @param link {@link #lost()} may have something to say; null if there is no such thing
     */
    record Events(EventSource queue, EventSource link) {}

    /**
     * A selector watches from now on.
     *
     * @param arrival of a group: runs when something was queued for this endpoint, without the endpoint's lock. Null if
     *     no selector watches any more
     */
    default void watch(Runnable arrival) {}

    /**
     * The next poll is the selector's. A wire whose events are {@linkplain #isReported reported} reads only after an
     * event.
     */
    default void beginVisit() {}

    /** Whether the kernel reports to a selector whatever comes, without arming. */
    default boolean isReported() {
        return false;
    }

    /** Of a group: whether something was queued for this endpoint, or {@link #takeLinkNews} would return true. */
    default boolean hasNews() {
        return true;
    }

    /** Of a group: whether {@link #lost()} may have something to report. Returns true once for each event. */
    default boolean takeLinkNews() {
        return false;
    }

    /** Memory that the peer alone may use, where this side's threads serve it; null where an adapter does. */
    default Exposures grants() {
        return null;
    }

    /** Ends the sleep that is going on, or the next one. */
    void wakeUp();

    /** The message in a receive buffer, for a handler. */
    Message message(int buffer, long length);

    /** Asks the link. */
    <T> Optional<T> ask(Function<Link, Optional<T>> question);

    /** Ends the connection, and a sleep. Call again to retry a failed close. */
    void close();

    /**
     * Frees the memory, when no handler sees it any more. Idempotent; what cannot be freed is tried again by another
     * call.
     */
    void free();
}
