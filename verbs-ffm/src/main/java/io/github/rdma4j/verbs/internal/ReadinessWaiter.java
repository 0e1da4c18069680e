// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

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
 * Waits until a file descriptor can be read, with a timeout, from any number of threads at once.
 *
 * <p>A platform thread waits in ppoll(2), together with an eventfd by which other threads end the wait. A virtual
 * thread parks, and {@link VirtualThreadPoller} unparks it; its carrier is free meanwhile. An interrupt ends the wait
 * of either.
 *
 * <p>Whoever owns the descriptor calls {@link #close()} before closing it: that ends all waits, and when it returns no
 * thread is in a system call with the descriptor.
 */
public final class ReadinessWaiter {
    /** How a wait ended. */
    public enum Outcome {
        /** The descriptor is ready, or may be: try again, and wait again if there was nothing. */
        READY,
        /** The time is over. */
        TIMED_OUT,
        /** The descriptor is about to be closed. */
        CLOSED,
        /** The thread was interrupted, before or meanwhile; its interrupt status remains set. */
        INTERRUPTED
    }

    private static final int NONE = -1;
    private static final long MAX_NANOS = Long.MAX_VALUE;

    private final int descriptor;
    /** Guards all fields; never held across a wait for the descriptor. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition nobodyPolls = lock.newCondition();
    private final List<Parked> parked = new ArrayList<>();
    /** One for all waits: {@link #wakeAll()}. */
    private final Runnable wakeUp = this::wakeAll;

    private int wakeDescriptor = NONE;
    private int polling;
    private boolean woken;
    private volatile long wakeUps;
    private boolean closed;
    private final CarrierTurn turn = new CarrierTurn();
    /** What {@link VirtualThreadPoller} calls; null before the first wait of a virtual thread. */
    private Runnable watching;

    /** A virtual thread that waits. */
    private static final class Parked {
        final Thread thread = Thread.currentThread();
        volatile boolean unparked;
    }

    /**
     * A waiter for a descriptor.
     *
     * @param descriptor an open descriptor that poll(2) can wait for; it remains its owner's
     */
    public ReadinessWaiter(int descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * A timeout in nanoseconds: nothing for a negative one, 292 years for a longer one.
     *
     * @param timeout any duration
     * @return the nanoseconds, from 0
     */
    public static long nanos(Duration timeout) {
        if (timeout.isNegative()) {
            return 0;
        }
        try {
            return timeout.toNanos();
        } catch (ArithmeticException e) {
            return MAX_NANOS;
        }
    }

    /**
     * Tries until something comes, waiting for the descriptor in between.
     *
     * @param operation for the message of the exception after an interrupt; most waits need none
     * @param timeout how long to wait; zero or less only tries
     * @param attempt takes what is there without waiting; null if there is nothing
     * @param closed the exception if the waiter is closed meanwhile
     * @param <T> what comes
     * @return what came, or null after the time
     * @throws WaitInterruptedException if the thread is interrupted while it waits; what is there already is taken
     *     nevertheless
     */
    public <T> T await(
            Supplier<String> operation,
            Duration timeout,
            Supplier<T> attempt,
            Supplier<? extends RuntimeException> closed) {
        return await(operation, nanos(timeout), attempt, closed, true);
    }

    /**
     * Waits for the descriptor, and tries then, until something comes: for an attempt that finds something only when
     * the descriptor can be read. That saves an attempt, which is a system call.
     *
     * @param operation for the message of the exception after an interrupt; most waits need none
     * @param timeout how long to wait; zero or less only tries
     * @param attempt takes what is there without waiting; null if there is nothing
     * @param closed the exception if the waiter is closed meanwhile
     * @param <T> what comes
     * @return what came, or null after the time
     * @throws WaitInterruptedException if the thread is interrupted while it waits, and nothing has come
     */
    <T> T awaitAndTry(
            Supplier<String> operation,
            Duration timeout,
            Supplier<T> attempt,
            Supplier<? extends RuntimeException> closed) {
        long limit = nanos(timeout);
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
                        // The next attempt tells, also after the time: what came in the last moment counts.
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
     * Waits until the descriptor can be read.
     *
     * @param nanos how long at most
     * @return why the wait is over
     */
    public Outcome await(long nanos) {
        return await(nanos, wakeUps);
    }

    /** {@return how many wake-ups there were, for {@link #await(long, long)}} */
    public long wakeUps() {
        return wakeUps;
    }

    /**
     * Waits until the descriptor can be read. A wake-up since {@code seen} was read counts, so that none is lost
     * between an attempt and the wait after it.
     *
     * @param nanos how long at most
     * @param seen of {@link #wakeUps()}
     * @return why the wait is over
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
                // Those who are being woken must leave first, or the signal for them would end this wait too, again and
                // again.
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
        Parked self = new Parked();
        lock.lock();
        try {
            if (closed || wakeUps != seen) {
                return closed ? Outcome.CLOSED : Outcome.READY;
            }
            parked.add(self);
            if (watching == null) {
                watching = this::unparkAll;
            }
            VirtualThreadPoller.watch(descriptor, watching);
        } catch (Throwable e) {
            parked.remove(self);
            throw e;
        } finally {
            lock.unlock();
        }
        while (!self.unparked) {
            long remaining = nanos - (System.nanoTime() - start);
            if (remaining <= 0 || Thread.currentThread().isInterrupted()) {
                break;
            }
            LockSupport.parkNanos(this, remaining);
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

    /**
     * Lets the virtual threads that wait look again; {@link VirtualThreadPoller} calls it when the descriptor is ready.
     */
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

    /** Ends all waits that are under way, as though the descriptor were ready. */
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
     * Ends all waits for good, and returns when no thread uses the descriptor for waiting any more. Twice does no harm.
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
                VirtualThreadPoller.forget(descriptor, watching);
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
