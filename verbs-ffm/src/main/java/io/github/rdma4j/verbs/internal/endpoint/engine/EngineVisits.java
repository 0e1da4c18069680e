// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;

/**
 * How an {@link EndpointSelector} waits for an {@link Engine} without a thread in it: it watches, visits what the
 * kernel or another thread has named, and arms before it sleeps. A selector takes in nothing of an endpoint that it
 * does not watch any more. Called without the lock of the engine.
 */
public final class EngineVisits {
    private final Engine engine;
    private final Carrier carrier;
    private final Protocol protocol;
    private final Waiters waiters;
    /** Whether the last visit has armed, and then polled, or need not arm. */
    private boolean armedEarly;
    /** Whether a visit takes the message that the selector then gives to the program: a turn of the lock less. */
    private boolean takes;
    /** Its buffer, until {@link #taken}. Of the thread that selects. */
    private int first = Engine.NO_MESSAGE;

    EngineVisits(Engine engine, Carrier carrier, Waiters waiters) {
        this.engine = engine;
        this.carrier = carrier;
        this.protocol = engine.protocol();
        this.waiters = waiters;
    }

    /**
     * Makes a selector also wait for this endpoint.
     *
     * @param newWatcher runs on changes by other threads, with the lock held
     * @param arrival for an endpoint of a group: runs when something has come, without the lock
     * @param newTakes whether visits take messages, for {@link #taken}
     */
    public Carrier.Events watch(Runnable newWatcher, Runnable arrival, boolean newTakes) {
        engine.enter();
        try {
            engine.requireOpen();
            if (waiters.isWatched()) {
                throw new IllegalArgumentException(engine + " is in a selector already");
            }
            // First, because it fails if there are no more file descriptors.
            Carrier.Events events = carrier.events();
            waiters.watch(newWatcher);
            carrier.watch(arrival);
            takes = newTakes;
            return events;
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /** While it is watched: whether the kernel reports whatever comes, without arming. */
    public boolean isReported() {
        return carrier.isReported();
    }

    public void unwatch() {
        engine.enter();
        try {
            waiters.watch(null);
            carrier.watch(null);
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Takes in what has come.
     *
     * @param by the selector that watches; one that the endpoint has left meanwhile takes in nothing, because the next
     *     selector would get no event for it
     * @param queueEvent whether what was armed has gone off
     * @param linkEvent whether the connection manager has something to say
     * @param armEarly whether the selector will sleep next: what was armed and has gone off is armed again at once, and
     *     need not be before the sleep, with another poll behind it
     * @return whether the program has something to do
     */
    public boolean visit(Runnable by, boolean queueEvent, boolean linkEvent, boolean armEarly) {
        engine.enter();
        try {
            if (engine.isClosing() || !waiters.isWatchedBy(by)) {
                return false;
            }
            armedEarly = carrier.isReported();
            if (queueEvent) {
                takeEvent(armEarly);
            }
            carrier.beginVisit();
            makeProgress(linkEvent);
            return takeReadyForHandlers();
        } catch (Error e) {
            engine.fatalError = e;
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
            armedEarly |= armEarly && carrier.armEarly(protocol.awaitsEnds());
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
            protocol.linkLost(Engine.NO_ANSWER + failure.getMessage());
            throw failure;
        }
    }

    /** Takes in what was put down for an endpoint of a group; whether the program has something to do. */
    public boolean visitMember(Runnable by) {
        engine.enter();
        try {
            if (engine.isClosing() || !waiters.isWatchedBy(by)) {
                return false;
            }
            takeInOfMember();
            if (carrier.takeLinkNews()) {
                engine.look();
            }
            boolean ready = takeReadyForHandlers();
            if (!ready) {
                // If it is ready, it is armed after the handlers, which may change what it is armed for.
                armMember();
                ready = takeReadyForHandlers();
            }
            return ready;
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exitVisit();
        }
    }

    private int takeInOfMember() {
        if (engine.areEventsStopped()) {
            return engine.takeIn();
        }
        try {
            return carrier.takeIn(protocol);
        } finally {
            protocol.settle();
        }
    }

    /**
     * Makes the group report ends, if they are waited for. It did not before. A report during this call has no effect,
     * because this visit is under way: take in again.
     */
    private void armMember() {
        boolean ends;
        do {
            ends = protocol.awaitsEnds();
            carrier.arm(ends);
        } while (ends && takeInOfMember() > 0);
    }

    private boolean takeReadyForHandlers() {
        boolean ready = takeReady();
        waiters.visited(ready);
        return ready;
    }

    private boolean takeReady() {
        boolean ready = protocol.takeReady();
        if (ready && takes && first < 0) {
            first = engine.take();
        }
        return ready || first >= 0;
    }

    /** The buffer of the message that the visit has taken, once; {@link Engine#NO_MESSAGE} if there was none. */
    public int taken() {
        int buffer = first;
        first = Engine.NO_MESSAGE;
        return buffer;
    }

    /**
     * For an endpoint of a group, after a visit and its handlers: returns whether something may be left to do, for
     * example to arm for ends after a handler that found the send queue full. Without the lock: other threads notify
     * the watcher after their changes.
     */
    public boolean mayHaveMore() {
        waiters.visited(false);
        return protocol.isReady() || carrier.hasNews() || carrier.missesEnds() == protocol.awaitsEnds();
    }

    /**
     * After a visit that has armed early: returns whether everything from now on raises an event, and nothing is left
     * to do. Also without the lock.
     */
    public boolean isArmedAndDone() {
        waiters.visited(false);
        return armedEarly
                && carrier.isArmed()
                && !protocol.isReady()
                && !(protocol.awaitsEnds() && carrier.missesEnds());
    }

    /** From now on, what comes is an event; whether the program has something to do already. */
    public boolean arm(Runnable by) {
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
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exitVisit();
        }
    }

    /** Looks at the clock; how long it may be until the next look, in nanoseconds. */
    public long lookAtClock() {
        engine.enter();
        try {
            if (engine.isClosing()) {
                return Long.MAX_VALUE;
            }
            // Completed posts raised no event, and are a sign of life. The connection manager does raise events.
            engine.takeIn();
            protocol.look(System.nanoTime());
            protocol.settle();
            return protocol.nanosToNextLook();
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Arms, and takes in what came before, which raises no event. A thread that sleeps meanwhile may still miss ends:
     * the thread that releases the lock wakes it.
     */
    private void armAndProgress() {
        boolean ends;
        do {
            ends = protocol.awaitsEnds();
            carrier.arm(ends);
            carrier.beginVisit();
            engine.takeIn();
        } while (!ends && protocol.awaitsEnds() && carrier.missesEnds());
    }
}
