// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.BiasedLock;
import io.github.rdma4j.verbs.internal.CarrierTurn;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.events.EndpointWaitEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;
import java.util.function.Supplier;

/**
 * The waits of threads in an {@link Engine}. One thread spins for a while, and then sleeps on the {@link
 * EndpointTransport}. Threads that come meanwhile follow it ({@link Waiters}).
 */
final class EngineWaits {
    private final Engine engine;
    private final BiasedLock lock;
    private final EndpointTransport transport;
    private final Protocol protocol;
    private final SpinTime spinTime;
    private final Waiters waiters;
    private final Completer completer;

    EngineWaits(
            Engine engine,
            BiasedLock lock,
            EndpointTransport transport,
            SpinTime spinTime,
            Waiters waiters,
            Completer completer) {
        this.engine = engine;
        this.lock = lock;
        this.transport = transport;
        this.protocol = engine.protocol();
        this.spinTime = spinTime;
        this.waiters = waiters;
        this.completer = completer;
    }

    /**
     * Makes progress until an attempt succeeds. Called without the lock; the attempts are made with it.
     *
     * @param operation for the message if the thread is interrupted
     * @param limit the longest wait in nanoseconds
     * @param whileClosing whether it continues after the endpoint was closed
     * @param attempt returns null to continue
     * @return the result of the attempt; null on timeout, or if the endpoint was destroyed
     */
    <T> T await(String operation, long limit, boolean whileClosing, Supplier<T> attempt) {
        long start = System.nanoTime();
        EndpointWaitEvent wait = null;
        engine.enter();
        try {
            boolean polls = transport.isPollDue(start, sleepsNext(start));
            while (true) {
                engine.loseAfterError();
                if (!whileClosing) {
                    engine.requireOpen();
                }
                if (polls) {
                    engine.progress();
                }
                T result = attempt.get();
                if (result != null) {
                    return result;
                }
                long now = System.nanoTime();
                long remaining = limit - (now - start);
                if (!polls && !(remaining > 0 && sleepsNext(now))) {
                    polls = true;
                    continue;
                }
                polls = true;
                int nesting = completer.nesting();
                if (!protocol.decisions().isEmpty() && nesting < Completer.MAX_NESTED) {
                    waiters.announce();
                    lock.unlock();
                    try {
                        completer.complete(null, nesting);
                    } finally {
                        lock.lock();
                    }
                } else if (remaining <= 0 || engine.isDestroyed()) {
                    return null;
                } else if (engine.isTurnOver()) {
                    // A wait that finds a change in each poll, but never its own, need not park either.
                    waiters.announce();
                    lock.unlock();
                    try {
                        CarrierTurn.pass();
                    } finally {
                        lock.lock();
                    }
                } else {
                    if (wait == null && Recorder.isThere()) {
                        wait = EndpointWaitEvent.begun(protocol.credits().available());
                    }
                    if (waiters.isLed()) {
                        waiters.follow(operation, remaining);
                    } else {
                        polls = !spinOrSleep(operation, now, remaining);
                    }
                }
            }
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
            if (wait != null) {
                wait.over(operation);
            }
        }
    }

    /** Whether this thread will sleep at once: arming or the sleep itself then finds what has come. */
    private boolean sleepsNext(long now) {
        return spinTime.sleepsNext(now)
                && !waiters.isLed()
                && protocol.decisions().isEmpty()
                && !engine.isDestroyed();
    }

    /**
     * Waits for the next change: spins for a while, and then sleeps. Without spinning there is nothing to measure, so
     * it reads neither the clock nor the queue: the caller polls next.
     *
     * @param start now
     * @return whether it has polled since the change came
     */
    private boolean spinOrSleep(String operation, long start, long nanos) {
        long before = protocol.changes();
        long limit = Math.min(nanos, spinTime.next(start));
        if (limit > 0 && !SpinTime.start()) {
            // Too many threads spin already. That says nothing about this connection.
            sleep(operation, nanos);
            return false;
        }
        if (limit > 0 && spin(start, limit)) {
            return true;
        }
        sleep(operation, limit > 0 ? Math.max(0, nanos - (System.nanoTime() - start)) : nanos);
        if (!spinTime.maySpin()) {
            return false;
        }
        long after = System.nanoTime() - start;
        // Polls, because the event that woke this thread is still in the queue.
        engine.progress();
        spinTime.slept(after, protocol.changes() != before);
        return true;
    }

    /** Spins until there is a change. Returns false on timeout. Other threads can take the lock between the polls. */
    private boolean spin(long start, long nanos) {
        long before = protocol.changes();
        boolean changed = false;
        boolean kept = true;
        long now = start;
        try {
            waiters.announce();
            waiters.lead(true);
            int rounds = 0;
            do {
                boolean others = lock.hasQueuedThreads();
                lock.unlock();
                try {
                    SpinTime.pause(++rounds, now - start, others);
                } finally {
                    lock.lock();
                }
                engine.loseAfterError();
                engine.progress();
                long last = now;
                now = System.nanoTime();
                changed = protocol.changes() != before;
                kept = spinTime.keptCpu(last, now, 1, changed);
            } while (kept && !changed && !engine.isDestroyed() && now - start < nanos);
        } finally {
            waiters.stopLeading();
            SpinTime.stop();
        }
        if (changed && kept) {
            spinTime.seen(now - start);
        }
        return protocol.changes() != before;
    }

    private void sleep(String operation, long nanos) {
        long before = protocol.changes();
        transport.prepareToSleep();
        armToSleep();
        // An event of the connection manager ends the sleep.
        protocol.checkTimeouts(System.nanoTime());
        protocol.settle();
        if (protocol.changes() != before) {
            return;
        }
        waiters.announce();
        long limit = Math.min(nanos, protocol.nanosToNextCheck());
        waiters.lead(false);
        lock.unlock();
        try {
            transport.sleep(limit);
        } catch (WaitInterruptedException e) {
            throw new WaitInterruptedException(operation);
        } finally {
            lock.lock();
            waiters.stopLeading();
            if (!engine.isDestroyed() && transport.awake()) {
                engine.checkConnectionOrLose();
            }
            waiters.notifyWatcher();
        }
    }

    private void armToSleep() {
        try {
            do {
                transport.armToSleep(protocol.awaitsEnds());
                engine.progress();
            } while (protocol.awaitsEnds() && transport.missesEnds());
        } catch (VerbsException e) {
            engine.lose(e);
        }
    }
}
