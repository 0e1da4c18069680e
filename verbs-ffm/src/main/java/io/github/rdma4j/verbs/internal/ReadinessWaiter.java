// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.events.EventWaitEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Waits until a file descriptor is readable, with a timeout, from any number of threads at once.
 *
 * <p>A platform thread waits in ppoll(2), together with an eventfd that other threads use to end the wait. A virtual
 * thread parks, which frees its carrier, and {@link VirtualThreadPoller} unparks it. An interrupt ends the wait of
 * either.
 *
 * <p>The owner of the descriptor calls {@link #close()} before closing it. That ends all waits, and when it returns no
 * thread is in a system call with the descriptor.
 */
public final class ReadinessWaiter {
    /** How a wait ended. */
    public enum Outcome {
        /** The descriptor is ready, or may be: try again, and wait again if there was nothing. */
        READY,
        /** The timeout has expired. */
        TIMED_OUT,
        /** The descriptor is about to be closed. */
        CLOSED,
        /** The thread was interrupted, before or during the wait; its interrupt status remains set. */
        INTERRUPTED
    }

    private static final int NONE = -1;
    /** Half of what {@link System#nanoTime} can represent: 146 years. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;
    /** The rest of a wait that a virtual thread times itself, because the poller counts milliseconds. */
    private static final long SHORT_NANOS = 2_000_000;

    private final int descriptor;
    /** Guards all fields; never held across a wait for the descriptor. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition nobodyPolls = lock.newCondition();
    private final List<Parked> parked = new ArrayList<>();
    /** One object for all waits: {@link #wakeAll()}. */
    private final Runnable wakeUp = this::wakeAll;

    private int wakeDescriptor = NONE;
    private int polling;
    private boolean woken;
    private volatile long wakeUps;
    private boolean closed;
    private final CarrierTurn turn = new CarrierTurn();
    /** Null before the first wait of a virtual thread. */
    private Watching watching;

    /** A virtual thread that waits. */
    private static final class Parked {
        final Thread thread = Thread.currentThread();
        /** When its wait ends, of {@link System#nanoTime}. */
        final long limit;

        volatile boolean unparked;

        Parked(long limit) {
            this.limit = limit;
        }
    }

    /** The waits of all virtual threads. */
    private final class Watching extends VirtualThreadPoller.Waiter {
        Watching() {
            super(descriptor);
        }

        @Override
        void ready() {
            unparkAll();
        }

        @Override
        void timeOver() {
            unparkAfterTime();
        }
    }

    /**
     * Creates a waiter for a descriptor.
     *
     * @param descriptor an open descriptor that poll(2) can wait for; the waiter does not close it
     */
    public ReadinessWaiter(int descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * Tries until there is a result, and waits for the descriptor in between.
     *
     * @param operation for the message of the exception after an interrupt; most waits need none
     * @param timeout how long to wait; zero or less tries once
     * @param attempt takes a result without waiting; null if there is none
     * @param closed the exception if the waiter is closed meanwhile
     * @param <T> the type of the result
     * @return the result, or null after the timeout
     * @throws WaitInterruptedException if the thread is interrupted while it waits; a result that is already there is
     *     still taken
     */
    public <T> T await(
            Supplier<String> operation,
            Duration timeout,
            Supplier<T> attempt,
            Supplier<? extends RuntimeException> closed) {
        return await(operation, Timeouts.nanos(timeout), attempt, closed, true);
    }

    /**
     * Waits for the descriptor, then tries, until there is a result: for attempts that only succeed when the descriptor
     * is readable. That saves the first attempt, which is a system call.
     *
     * @param operation for the message of the exception after an interrupt; most waits need none
     * @param timeout how long to wait; zero or less tries once
     * @param attempt takes a result without waiting; null if there is none
     * @param closed the exception if the waiter is closed meanwhile
     * @param <T> the type of the result
     * @return the result, or null after the timeout
     * @throws WaitInterruptedException if the thread is interrupted while it waits, and there is no result
     */
    <T> T awaitAndTry(
            Supplier<String> operation,
            Duration timeout,
            Supplier<T> attempt,
            Supplier<? extends RuntimeException> closed) {
        long limit = Timeouts.nanos(timeout);
        return await(operation, limit, attempt, closed, limit <= 0);
    }

    private <T> T await(
            Supplier<String> operation,
            long limit,
            Supplier<T> attempt,
            Supplier<? extends RuntimeException> closed,
            boolean tryFirst) {
        long start = System.nanoTime();
        boolean trying = tryFirst;
        EventWaitEvent wait = null;
        try {
            while (true) {
                // An attempt that succeeds at once does not park.
                passTurn();
                long seen = wakeUps;
                T result = trying ? attempt.get() : null;
                long remaining = limit - (System.nanoTime() - start);
                if (result != null || trying && remaining <= 0) {
                    return result;
                }
                if (wait == null && Recorder.isThere()) {
                    wait = EventWaitEvent.begun();
                }
                switch (await(Math.max(0, remaining), seen)) {
                    case READY, TIMED_OUT -> {
                        // The next attempt decides, also after the timeout: a result at the last moment counts.
                        trying = true;
                    }
                    case CLOSED -> throw closed.get();
                    case INTERRUPTED -> {
                        result = trying ? null : attempt.get();
                        if (result == null) {
                            throw new WaitInterruptedException(operation.get());
                        }
                        return result;
                    }
                }
            }
        } finally {
            if (wait != null) {
                wait.over(operation);
            }
        }
    }

    /**
     * Waits until the descriptor is readable.
     *
     * @param nanos the maximum wait
     * @return why the wait ended
     */
    public Outcome await(long nanos) {
        return await(nanos, wakeUps);
    }

    /** {@return the number of wake-ups so far, for {@link #await(long, long)}} */
    public long wakeUps() {
        return wakeUps;
    }

    /**
     * Waits until the descriptor is readable. A wake-up since {@code seen} was read counts, so that none is lost
     * between an attempt and the wait after it.
     *
     * @param nanos the maximum wait
     * @param seen the result of {@link #wakeUps()}
     * @return why the wait ended
     */
    public Outcome await(long nanos, long seen) {
        if (Thread.currentThread().isInterrupted()) {
            return Outcome.INTERRUPTED;
        }
        return Thread.currentThread().isVirtual() ? park(nanos, seen) : poll(nanos, seen);
    }

    private Outcome poll(long nanos, long seen) {
        int wake;
        lock.lock();
        try {
            while (woken && !closed) {
                // Threads that are being woken must leave first, otherwise their signal would also end this wait, again
                // and again.
                nobodyPolls.awaitUninterruptibly();
            }
            if (closed || wakeUps != seen) {
                return closed ? Outcome.CLOSED : Outcome.READY;
            }
            if (wakeDescriptor == NONE) {
                wakeDescriptor = FileDescriptors.createEventFd();
            }
            wake = wakeDescriptor;
            polling++;
        } finally {
            lock.unlock();
        }
        boolean ready = false;
        boolean interrupted = false;
        try {
            InterruptHook hook = new InterruptHook(wakeUp);
            try {
                hook.arm();
                ready = FileDescriptors.poll(descriptor, wake, nanos);
            } finally {
                interrupted = hook.disarm();
            }
        } finally {
            leave();
        }
        if (isClosed()) {
            return Outcome.CLOSED;
        }
        if (interrupted) {
            return Thread.currentThread().isInterrupted() ? Outcome.INTERRUPTED : Outcome.READY;
        }
        return ready ? Outcome.READY : Outcome.TIMED_OUT;
    }

    private void leave() {
        lock.lock();
        try {
            polling--;
            if (polling == 0) {
                if (woken && !closed) {
                    FileDescriptors.drain(wakeDescriptor);
                    woken = false;
                }
                nobodyPolls.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** For virtual threads. */
    private void passTurn() {
        if (turn.isOver()) {
            CarrierTurn.pass();
        }
    }

    private Outcome park(long nanos, long seen) {
        long start = System.nanoTime();
        // A descriptor that is ready at once unparks this thread before it parks.
        passTurn();
        Parked self = new Parked(start + Math.min(nanos, LONGEST_NANOS));
        lock.lock();
        try {
            if (closed || wakeUps != seen) {
                return closed ? Outcome.CLOSED : Outcome.READY;
            }
            parked.add(self);
            if (watching == null) {
                watching = new Watching();
            }
            VirtualThreadPoller.watch(watching);
            if (nanos > SHORT_NANOS) {
                VirtualThreadPoller.limit(watching, self.limit);
            }
        } catch (Throwable e) {
            parked.remove(self);
            throw e;
        } finally {
            lock.unlock();
        }
        while (!self.unparked) {
            long remaining = self.limit - System.nanoTime();
            if (remaining <= 0 || Thread.currentThread().isInterrupted()) {
                break;
            }
            if (remaining > SHORT_NANOS) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, remaining);
            }
        }
        lock.lock();
        try {
            parked.remove(self);
            if (closed) {
                return Outcome.CLOSED;
            }
        } finally {
            lock.unlock();
        }
        if (self.unparked) {
            return Outcome.READY;
        }
        return Thread.currentThread().isInterrupted() ? Outcome.INTERRUPTED : Outcome.TIMED_OUT;
    }

    /** Lets the waiting virtual threads check again. */
    private void unparkAll() {
        lock.lock();
        try {
            for (Parked waiting : parked) {
                waiting.unparked = true;
                LockSupport.unpark(waiting.thread);
            }
            parked.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Lets the virtual threads go whose time is over; they find that out themselves. */
    private void unparkAfterTime() {
        lock.lock();
        try {
            long now = System.nanoTime();
            for (Parked waiting : parked) {
                if (waiting.limit - now <= 0) {
                    LockSupport.unpark(waiting.thread);
                } else {
                    VirtualThreadPoller.limit(watching, waiting.limit);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends all waits in progress, as if the descriptor were ready. */
    public void wakeAll() {
        lock.lock();
        try {
            wakeUps++;
            unparkAll();
            if (polling > 0 && !woken) {
                woken = true;
                FileDescriptors.signal(wakeDescriptor);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends all waits for good, and returns when no thread uses the descriptor for waiting. A second call does nothing.
     */
    public void close() {
        lock.lock();
        try {
            closed = true;
            wakeAll();
            while (polling > 0) {
                nobodyPolls.awaitUninterruptibly();
            }
            if (wakeDescriptor != NONE) {
                FileDescriptors.close(wakeDescriptor);
                wakeDescriptor = NONE;
            }
            if (watching != null) {
                VirtualThreadPoller.forget(watching);
            }
            nobodyPolls.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Allows waiting again, after a close of the descriptor that was refused. */
    public void reopen() {
        lock.lock();
        try {
            closed = false;
            woken = false;
        } finally {
            lock.unlock();
        }
    }
}
