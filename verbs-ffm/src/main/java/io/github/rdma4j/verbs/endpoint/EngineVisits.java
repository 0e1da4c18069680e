// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;

/**
 * How an {@link EndpointSelector} waits for an {@link Engine} without a thread in it: it watches, visits what the
 * kernel or another thread has named, and arms before it sleeps. A selector takes in nothing of an endpoint that it
 * does not watch any more. Called without the lock of the engine.
 */
final class EngineVisits {
    private final Engine engine;
    private final Carrier carrier;
    private final Protocol protocol;
    private final Waiters waiters;
    /** Whether the last visit has armed, and then polled. */
    private boolean armedEarly;
    /** Whether a visit takes the message that the selector then gives to the program: a turn of the lock less. */
    private boolean takes;
    /** Its buffer, until {@link #taken}. Of the thread that selects. */
    private int first = Endpoint.NO_MESSAGE;

    EngineVisits(Engine engine, Carrier carrier, Waiters waiters) {
        this.engine = engine;
        this.carrier = carrier;
        this.protocol = engine.protocol();
        this.waiters = waiters;
    }

    /**
     * From now on a selector waits for this endpoint, too.
     *
     * @param newWatcher hears of what other threads change, with the lock held
     * @param arrival of an endpoint of a group: hears that something has come, without the lock
     * @param newTakes whether visits take messages, for {@link #taken}
     */
    Carrier.Events watch(Runnable newWatcher, Runnable arrival, boolean newTakes) {
        engine.enter();
        try {
            engine.requireOpen();
            if (waiters.isWatched()) {
                throw new IllegalArgumentException(engine + " is in a selector already");
            }
            // First what may fail, for want of descriptors.
            Carrier.Events events = carrier.events();
            waiters.watch(newWatcher);
            carrier.watch(arrival);
            takes = newTakes;
            return events;
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    void unwatch() {
        engine.enter();
        try {
            waiters.watch(null);
            carrier.watch(null);
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Takes in what has come.
     *
     * @param by who watches; a selector that it has left meanwhile takes in nothing, which the next one would not hear
     *     of
     * @param queueEvent whether what was armed has gone off
     * @param linkEvent whether the connection manager has something to say
     * @param armEarly whether the selector will sleep next: what was armed and has gone off is armed again at once, and
     *     need not be before the sleep, with another poll behind it
     * @return whether the program has something to do
     */
    boolean visit(Runnable by, boolean queueEvent, boolean linkEvent, boolean armEarly) {
        engine.enter();
        try {
            if (engine.isClosing() || !waiters.isWatchedBy(by)) {
                return false;
            }
            armedEarly = false;
            if (queueEvent) {
                takeEvent(armEarly);
            }
            makeProgress(linkEvent);
            return takeReady();
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exitVisit();
        }
    }

    private void makeProgress(boolean linkEvent) {
        try {
            engine.takeIn();
            if (linkEvent) {
                engine.look();
            }
        } catch (VerbsException e) {
            deaf(e);
        }
    }

    private void takeEvent(boolean armEarly) {
        try {
            carrier.eventCame();
            if (waiters.isLed()) {
                // Somebody sleeps for the next event, whatever the selector does in the meantime.
                carrier.arm(protocol.awaitsEnds());
            }
            armedEarly = armEarly && carrier.armEarly(protocol.awaitsEnds());
        } catch (VerbsException e) {
            deaf(e);
        }
    }

    /**
     * An endpoint whose adapter answers no question any more, as one whose device is gone, is lost. Else a selector
     * would try in vain for ever, and never come to the others behind it.
     */
    private void deaf(VerbsException failure) {
        if (protocol.isOpen()) {
            protocol.linkLost(SharedQueues.DEAF + failure.getMessage());
            throw failure;
        }
    }

    /** Takes in what was put down for an endpoint of a group; whether the program has something to do. */
    boolean visitMember(Runnable by) {
        engine.enter();
        try {
            if (engine.isClosing() || !waiters.isWatchedBy(by)) {
                return false;
            }
            takeInOfMember();
            if (carrier.takeLinkNews()) {
                engine.look();
            }
            armMember();
            return takeReady();
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exitVisit();
        }
    }

    private int takeInOfMember() {
        if (engine.isDeaf()) {
            return engine.takeIn();
        }
        try {
            return carrier.takeIn(protocol);
        } finally {
            protocol.settle();
        }
    }

    /**
     * From now on the group tells of ends, if they are waited for. It did not before, and what it finds in this very
     * call it tells in vain: this visit is under way.
     */
    private void armMember() {
        boolean ends;
        do {
            ends = protocol.awaitsEnds();
            carrier.arm(ends);
        } while (ends && takeInOfMember() > 0);
    }

    private boolean takeReady() {
        boolean ready = protocol.takeReady();
        if (ready && takes && first < 0) {
            first = engine.take();
        }
        return ready || first >= 0;
    }

    /** The buffer of the message that the visit has taken, once; {@link Endpoint#NO_MESSAGE} if there was none. */
    int taken() {
        int buffer = first;
        first = Endpoint.NO_MESSAGE;
        return buffer;
    }

    /**
     * Of an endpoint of a group, after a visit: whether there may be something left to do, be it to say that ends are
     * waited for, as behind a handler that has found no room. Without the lock: what other threads change, they tell
     * the watcher afterwards.
     */
    boolean mayHaveMore() {
        return protocol.isReady() || carrier.hasNews() || carrier.missesEnds() && protocol.awaitsEnds();
    }

    /**
     * After a visit that has armed early: whether whatever comes from now on is an event, and nothing is left to do.
     * Without the lock, too.
     */
    boolean isArmedAndDone() {
        return armedEarly
                && carrier.isArmed()
                && !protocol.isReady()
                && !(protocol.awaitsEnds() && carrier.missesEnds());
    }

    /** From now on, what comes is an event; whether the program has something to do already. */
    boolean arm(Runnable by) {
        engine.enter();
        try {
            if (engine.isClosing() || !waiters.isWatchedBy(by)) {
                return false;
            }
            try {
                armAndProgress();
            } catch (VerbsException e) {
                deaf(e);
            }
            return takeReady();
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exitVisit();
        }
    }

    /** Looks at the clock; how long it may be until the next look, in nanoseconds. */
    long lookAtClock() {
        engine.enter();
        try {
            if (engine.isClosing()) {
                return Long.MAX_VALUE;
            }
            // What has ended was no event, and is a sign of life. What the connection manager has to say is an event.
            engine.takeIn();
            protocol.look(System.nanoTime());
            protocol.settle();
            return protocol.nanosToNextLook();
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * From now on, what comes is an event. What came before the arming is none. A thread that sleeps meanwhile may miss
     * ends all the same: whoever gives the lock back wakes it.
     */
    private void armAndProgress() {
        boolean ends;
        do {
            ends = protocol.awaitsEnds();
            carrier.arm(ends);
            engine.takeIn();
        } while (!ends && protocol.awaitsEnds() && carrier.missesEnds());
    }
}
