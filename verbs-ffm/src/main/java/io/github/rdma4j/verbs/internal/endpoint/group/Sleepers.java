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
 * The threads that wait for endpoints of a group, one endpoint each. One thread, the leader, waits for the adapter and
 * distributes the arrivals. The others are parked until something arrives for them. A leader that leaves wakes another
 * thread, which leads then.
 *
 * <p>No wake-up is lost: a thread that distributes an arrival queues it before it checks whether the receiver sleeps,
 * and a thread that goes to sleep sets its flag before it checks for arrivals.
 */
final class Sleepers {
    /** The queues that the leader waits for. */
    interface Host {
        /** Makes later arrivals end {@link #await}, and takes in and distributes earlier ones. */
        void armAndTakeIn();

        /** Waits for an arrival or a {@link #wake}. */
        void await(long nanos);

        /** Takes in and distributes what has arrived. */
        void takeIn();

        /** Ends the current wait or, if there is none, the next one. */
        void wake();
    }

    /** An endpoint, for which at most one thread sleeps at a time. */
    static final class Sleeper {
        private final BooleanSupplier event;
        private volatile Thread thread;
        private volatile boolean woken;

        /**
         * Creates it without a sleeping thread.
         *
         * @param event whether the endpoint has arrivals; called in any thread
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

    /** Whether a thread waits for the adapter, or is about to. */
    boolean isLed() {
        return leader.get() != null;
    }

    /** Sleeps until an endpoint has arrivals or is woken, or the time is over. */
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

    /** Wakes a sleeping thread to lead. If that thread is about to leave, it wakes another one. */
    private void callForALeader() {
        if (leader.get() == null) {
            Sleeper next = sleeping.peek();
            if (next != null) {
                LockSupport.unpark(next.thread);
            }
        }
    }

    /** Wakes the thread that sleeps for an endpoint, whose arrival was queued before. */
    void notifyArrival(Sleeper sleeper) {
        Thread thread = sleeper.thread;
        if (thread != null && thread != Thread.currentThread()) {
            if (leader.get() == sleeper) {
                host.wake();
            } else {
                LockSupport.unpark(thread);
            }
        }
    }

    /** Wakes the thread that sleeps for an endpoint, without an arrival. */
    void wake(Sleeper sleeper) {
        sleeper.woken = true;
        notifyArrival(sleeper);
    }
}
