// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.internal.ClosePlace;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The server's part of the handshake, for many clients at a time: a client that connects and then stays silent delays
 * no other client.
 *
 * <p>Of several threads that accept, one sleeps until an event arrives, and the others until that thread has handled
 * it.
 */
public final class Acceptor {
    /** If so many are ready at a time, there may be more. */
    private static final int MANY = 32;

    private static final int MOST_LOOKS = AdmissionControl.MOST_HANDSHAKES / MANY;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final String name;
    private final List<Reception> receptions;
    private final EventPoller poller;
    private boolean led;
    private boolean closed;
    /** Where the server was closed; null before the close, or if places are not recorded. */
    private ClosePlace closePlace;

    /**
     * Creates it for open receptions.
     *
     * @param name the server's name, for messages
     */
    public Acceptor(String name, List<Reception> receptions) {
        this.name = name;
        this.receptions = receptions;
        this.poller = EventPoller.open();
        try {
            receptions.forEach(reception -> reception.enter(poller));
        } catch (Throwable e) {
            CloseAll.after(e, poller::close);
            throw e;
        }
    }

    /** {@return the event source that is ready when a thread should accept} */
    public EventSource events() {
        return poller;
    }

    /** Whether a thread must check after a while even without an event, because a handshake may time out. */
    public boolean awaitsTime() {
        lock.lock();
        try {
            return receptions.stream().anyMatch(Reception::awaitsTime);
        } finally {
            lock.unlock();
        }
    }

    /** {@return the endpoint of a client whose handshake is complete; empty on timeout} */
    public Optional<Endpoint> accept(Duration timeout) {
        long start = System.nanoTime();
        long limit = Timeouts.nanos(timeout);
        lock.lock();
        try {
            while (true) {
                if (closed) {
                    throw new IllegalStateException(name + " is closed", closePlace);
                }
                Endpoint endpoint = next();
                if (endpoint != null) {
                    return Optional.of(endpoint);
                }
                long remaining = limit - (System.nanoTime() - start);
                if (remaining <= 0) {
                    return Optional.empty();
                }
                sleep(remaining);
            }
        } finally {
            changed.signalAll();
            lock.unlock();
        }
    }

    /**
     * Continues the handshakes without waiting. Returns an endpoint; null if no handshake is complete. It checks only
     * handshakes with an event, so that any number of others cost nothing. It takes no new clients before it has
     * finished the complete ones.
     */
    private Endpoint next() {
        List<EventSource> ready = new ArrayList<>();
        int looks = 0;
        do {
            ready.clear();
            poller.select(Duration.ZERO, ready::add);
            for (EventSource source : ready) {
                Endpoint endpoint = goOn(source);
                if (endpoint != null) {
                    return endpoint;
                }
            }
            looks++;
        } while (ready.size() >= MANY && looks < MOST_LOOKS);
        receptions.forEach(Reception::forgetLate);
        for (Reception reception : receptions) {
            Endpoint endpoint = reception.begin();
            if (endpoint != null) {
                return endpoint;
            }
        }
        return null;
    }

    private Endpoint goOn(EventSource source) {
        for (Reception reception : receptions) {
            Endpoint endpoint = reception.goOn(source);
            if (endpoint != null) {
                return endpoint;
            }
        }
        return null;
    }

    private void sleep(long nanos) {
        String operation = "accepting at " + name;
        if (led) {
            try {
                changed.await(nanos, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new WaitInterruptedException(operation);
            }
            return;
        }
        long limit = nanos;
        for (Reception reception : receptions) {
            limit = Math.min(limit, reception.nanosToEnd());
        }
        led = true;
        lock.unlock();
        try {
            poller.select(Duration.ofNanos(limit), source -> {});
        } catch (WaitInterruptedException e) {
            throw new WaitInterruptedException(operation);
        } catch (IllegalStateException e) {
            // The poller was closed, which the caller checks next.
            if (poller.isOpen()) {
                throw e;
            }
        } finally {
            lock.lock();
            led = false;
            changed.signalAll();
        }
    }

    /** Ends the waits, and refuses clients that are not accepted yet. Call again to retry what failed. */
    public void close() {
        lock.lock();
        try {
            if (!closed) {
                closePlace = ClosePlace.of(name);
                closed = true;
            }
            changed.signalAll();
            List<Runnable> closes = new ArrayList<>();
            closes.add(poller::close);
            receptions.forEach(reception -> closes.add(reception::close));
            CloseAll.of(closes.toArray(Runnable[]::new));
        } finally {
            lock.unlock();
        }
    }
}
