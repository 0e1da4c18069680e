// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;

/**
 * The calls of an {@link EndpointSelector} to an {@link Engine}: it watches the endpoint, visits it after a report of
 * the kernel or of another thread, and arms it before it sleeps. A selector takes in nothing of an endpoint that it no
 * longer watches. Called without the lock of the engine.
 */
public final class EngineVisits {
    private final Engine engine;
    private final EndpointTransport transport;
    private final Protocol protocol;
    private final Waiters waiters;
    /** Whether the last visit has armed before it polled, or need not arm. */
    private boolean armedEarly;
    /** Whether a visit also takes the first message for the message handler, which saves one use of the lock. */
    private boolean takes;
    /** The buffer of that message, until {@link #taken}. Used by the selecting thread. */
    private int first = Engine.NO_MESSAGE;
    /** Used by the selecting thread. */
    private long nanosToNextArm = Long.MAX_VALUE;

    EngineVisits(Engine engine, EndpointTransport transport, Waiters waiters) {
        this.engine = engine;
        this.transport = transport;
        this.protocol = engine.protocol();
        this.waiters = waiters;
    }

    /**
     * Makes a selector also wait for this endpoint.
     *
     * @param newWatcher runs on changes by other threads, with the lock held
     * @param arrival for an endpoint of a group: runs after an arrival, without the lock
     * @param newTakes whether visits take messages, for {@link #taken}
     */
    public EndpointTransport.Events watch(Runnable newWatcher, Runnable arrival, boolean newTakes) {
        engine.enter();
        try {
            engine.requireOpen();
            if (waiters.isWatched()) {
                throw new IllegalArgumentException(engine + " is in a selector already");
            }
            // First, because it fails if no file descriptor is left.
            EndpointTransport.Events events = transport.events();
            waiters.watch(newWatcher);
            transport.watch(arrival);
            takes = newTakes;
            return events;
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /** While it is watched: whether the kernel reports every arrival without arming. */
    public boolean isReported() {
        return transport.isReported();
    }

    public void unwatch() {
        engine.enter();
        try {
            waiters.watch(null);
            transport.watch(null);
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Takes in what has arrived.
     *
     * @param by the selector. If the endpoint has left it meanwhile, this method takes in nothing, because the next
     *     selector would get no event for it
     * @param queueEvent whether the armed event has occurred
     * @param linkEvent whether the connection manager has an event
     * @param armEarly whether the selector will sleep next. An event that has occurred is then armed again at once,
     *     which
     *     saves the arming before the sleep and the poll after it
     * @return whether the endpoint is ready
     */
    public boolean visit(Runnable by, boolean queueEvent, boolean linkEvent, boolean armEarly) {
        engine.enter();
        try {
            if (engine.isClosing() || !waiters.isWatchedBy(by)) {
                return false;
            }
            armedEarly = transport.isReported();
            if (queueEvent) {
                takeEvent(armEarly);
            }
            transport.beginVisit();
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
                engine.checkConnection();
            }
        } catch (VerbsException e) {
            lose(e);
        }
    }

    private void takeEvent(boolean armEarly) {
        try {
            transport.eventCame();
            if (waiters.isLed()) {
                // A thread sleeps until the next event, whatever the selector does meanwhile.
                transport.arm(protocol.awaitsEnds());
            }
            armedEarly |= armEarly && transport.armEarly(protocol.awaitsEnds());
        } catch (VerbsException e) {
            lose(e);
        }
    }

    /**
     * Loses an endpoint whose adapter no longer answers, for example because the device was removed. Otherwise a
     * selector would fail at it each time, and never get to the endpoints behind it.
     */
    private void lose(VerbsException failure) {
        if (protocol.isOpen()) {
            protocol.linkLost(Engine.ADAPTER_FAILED + failure.getMessage());
            throw failure;
        }
    }

    /** Takes in the arrivals of an endpoint of a group. Returns whether the endpoint is ready. */
    public boolean visitMember(Runnable by) {
        engine.enter();
        try {
            if (engine.isClosing() || !waiters.isWatchedBy(by)) {
                return false;
            }
            takeInOfMember();
            if (transport.takeLinkReport()) {
                engine.checkConnection();
            }
            boolean ready = takeReadyForHandlers();
            if (!ready) {
                // A ready endpoint is armed after its handlers, because they may change what to arm for.
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
            return transport.takeIn(protocol);
        } finally {
            protocol.settle();
        }
    }

    /**
     * Makes the group report completions of sends, if the protocol waits for them. A report during this visit has no
     * effect, so it takes in again.
     */
    private void armMember() {
        boolean ends;
        do {
            ends = protocol.awaitsEnds();
            transport.arm(ends);
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

    /** Returns the buffer of the message that the visit has taken, once; {@link Engine#NO_MESSAGE} if there is none. */
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
        return protocol.isReady()
                || transport.hasArrivals()
                || transport.missesEnds() == protocol.awaitsEnds()
                || mustComplete();
    }

    /**
     * Returns whether a callback of the last visit has decided a promise, which the next visit completes. Also without
     * the lock.
     */
    public boolean mustComplete() {
        return !protocol.decisions().isEmpty();
    }

    /**
     * After a visit that has armed early: returns whether everything from now on raises an event, and nothing is left
     * to do. Also without the lock.
     */
    public boolean isArmedAndDone() {
        waiters.visited(false);
        return armedEarly
                && transport.isArmed()
                && !protocol.isReady()
                && !mustComplete()
                && !(protocol.awaitsEnds() && transport.missesEnds());
    }

    /** Makes later arrivals raise an event. Returns whether the endpoint is ready already. */
    public boolean arm(Runnable by) {
        engine.enter();
        try {
            if (engine.isClosing() || !waiters.isWatchedBy(by)) {
                return false;
            }
            nanosToNextArm = Long.MAX_VALUE;
            try {
                armAndProgress();
                nanosToNextArm = transport.nanosToNextArm(protocol.awaitsEnds());
            } catch (VerbsException e) {
                lose(e);
            }
            return takeReady();
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exitVisit();
        }
    }

    /**
     * After {@link #arm}: returns after how many nanoseconds it must be called again, although the kernel reports
     * nothing; {@link Long#MAX_VALUE} if the kernel reports everything.
     */
    public long nanosToNextArm() {
        return nanosToNextArm;
    }

    /** Checks the time limits. Returns after how many nanoseconds it must be called again at the latest. */
    public long checkTimeouts() {
        engine.enter();
        try {
            if (engine.isClosing()) {
                return Long.MAX_VALUE;
            }
            boolean checksLink = transport.beginCheck();
            // Completed sends have raised no event, and are a sign of life.
            engine.takeIn();
            if (checksLink) {
                engine.checkConnection();
                // Failover acts on a failed port in a poll.
                engine.takeIn();
            } else {
                // The connection manager raises events.
                protocol.checkTimeouts(System.nanoTime());
                protocol.settle();
            }
            return protocol.nanosToNextCheck();
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Arms, and takes in earlier arrivals, which raise no event. A thread that sleeps meanwhile may miss completions of
     * sends; the thread that releases the lock wakes it.
     */
    private void armAndProgress() {
        boolean ends;
        do {
            ends = protocol.awaitsEnds();
            transport.arm(ends);
            transport.beginVisit();
            engine.takeIn();
        } while (!ends && protocol.awaitsEnds() && transport.missesEnds());
    }
}
