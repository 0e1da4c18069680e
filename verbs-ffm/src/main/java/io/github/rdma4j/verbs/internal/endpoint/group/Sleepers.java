// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import io.github.rdma4j.verbs.WaitInterruptedException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The threads that wait for endpoints of a group, each for one. One of them, the leader, waits for the adapter, and
 * hands out what comes; the others are parked until there is something for them. A leader that leaves wakes another one
 * to take its place.
 *
 * <p>No wake-up is lost. A thread that hands something out first puts it down and then checks whether its receiver
 * sleeps. A thread that goes to sleep first says so and then checks whether there is something.
 */
final class Sleepers {
    /** What the leader waits on. */
    interface Host {
        /** From now on, what comes ends {@link #await}; takes in what has come before, and hands it out. */
        void armAndTakeIn();

        /** Waits until something comes or somebody wakes this thread. */
        void await(long nanos);

        /** Takes in what has come, and hands it out. */
        void takeIn();

        /** Ends the wait that is going on, or the next one. */
        void wake();
    }

    /** One endpoint. At most one thread sleeps for it at a time. */
    static final class Sleeper {
        private final BooleanSupplier event;
        private volatile Thread thread;
        private volatile boolean woken;

        /**
         * Nobody sleeps yet.
         *
         * @param event whether there is something for the endpoint; called in any thread
         */
        Sleeper(BooleanSupplier event) {
            this.event = event;
        }

        private boolean isOver() {
            return woken || event.getAsBoolean();
        }
    }

    private final Host host;
    private final AtomicReference<Sleeper> leader = new AtomicReference<>();
    private final Queue<Sleeper> sleeping = new ConcurrentLinkedQueue<>();

    Sleepers(Host host) {
        this.host = host;
    }

    /** Whether somebody waits for the adapter, or is about to. */
    boolean isLed() {
        return leader.get() != null;
    }

    /** Sleeps until there is something for an endpoint, or somebody wakes it, at most for a time. */
    void sleep(Sleeper sleeper, long nanos) {
        long start = System.nanoTime();
        sleeper.thread = Thread.currentThread();
        sleeping.add(sleeper);
        try {
            long remaining = nanos;
            while (remaining > 0 && !sleeper.isOver()) {
                if (leader.compareAndSet(null, sleeper)) {
                    try {
                        lead(sleeper, remaining);
                    } finally {
                        leader.set(null);
                    }
                } else {
                    LockSupport.parkNanos(this, remaining);
                    if (Thread.interrupted()) {
                        Thread.currentThread().interrupt();
                        throw new WaitInterruptedException("waiting for an endpoint of a group");
                    }
                }
                remaining = nanos - (System.nanoTime() - start);
            }
        } finally {
            sleeping.remove(sleeper);
            sleeper.thread = null;
            sleeper.woken = false;
            callForALeader();
        }
    }

    private void lead(Sleeper sleeper, long nanos) {
        host.armAndTakeIn();
        if (!sleeper.isOver()) {
            host.await(nanos);
            host.takeIn();
        }
    }

    /** If the one that is called is about to leave, it calls the next. */
    private void callForALeader() {
        if (leader.get() == null) {
            Sleeper next = sleeping.peek();
            if (next != null) {
                LockSupport.unpark(next.thread);
            }
        }
    }

    /** There is something for an endpoint, which was put down before. */
    void tell(Sleeper sleeper) {
        Thread thread = sleeper.thread;
        if (thread != null && thread != Thread.currentThread()) {
            if (leader.get() == sleeper) {
                host.wake();
            } else {
                LockSupport.unpark(thread);
            }
        }
    }

    /** Ends the sleep for an endpoint, if somebody sleeps for it, whatever has come. */
    void wake(Sleeper sleeper) {
        sleeper.woken = true;
        tell(sleeper);
    }
}
