// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Decides how long a thread spins before it sleeps, from recent response times: twice as long as recent responses took,
 * and not at all if none arrives within the limit. A fast response is therefore received without a sleep, and an idle
 * connection uses no CPU time.
 *
 * <p>After a sleep the thread knows only when it ran again, not when the response arrived. So one wait in {@value
 * #WAITS_PER_TRIAL} spins up to the limit to measure it.
 *
 * <p>While other threads want the CPUs ({@link CpuPressure}) it does not spin at all.
 *
 * <p>In the whole JVM at most as many threads spin at a time as there are CPUs. The others sleep at once and leave the
 * CPUs to threads with work.
 */
public final class SpinTime {
    /** Trials use little CPU time: at most one sixteenth of waits that are longer than the limit. */
    public static final int WAITS_PER_TRIAL = 16;
    /** A poll is a system call at most. */
    private static final long LONGEST_IDLE_POLL_NANOS = 4_000;
    /** Longer than fast responses take, because a yield is a system call. */
    static final long LONGEST_WITHOUT_YIELD_NANOS = 20_000;
    /** A shorter spin is not worth reading the clock. */
    private static final long LEAST_NANOS = 1_000;

    /**
     * Spinning has paid for a preemption if spins that ended with a response took this many times as long. A thread
     * that shares its CPU with a busy one reaches 1 at most: it loses a time slice for each that it uses.
     */
    static final int WORTH = 4;

    /** Parking costs some 20 µs of CPU time. */
    private static final int YIELDS_PER_PARK = 32;

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    private static final AtomicInteger SPINNING = new AtomicInteger();

    private final long most;
    private final CpuPressure pressure;
    private long nanos;
    /** How long the spins that ended with a response took since the last preemption, in nanoseconds. */
    private long answeredNanos;

    private int waits;

    /**
     * Starts with the longest allowed spin.
     *
     * @param most nanoseconds that one wait may spin; 0 never spins
     */
    public SpinTime(long most) {
        this(most, CpuPressure.OF_JVM);
    }

    SpinTime(long most, CpuPressure pressure) {
        this.most = most;
        this.pressure = pressure;
        this.nanos = most;
    }

    /** Returns whether one more thread may spin. If it may, it must call {@link #stop}. */
    public static boolean start() {
        if (SPINNING.incrementAndGet() <= PROCESSORS) {
            return true;
        }
        SPINNING.decrementAndGet();
        return false;
    }

    /**
     * Pauses between two polls of a spinning thread. A virtual thread that yields may be scheduled again at once while
     * others wait for its carrier (seen with JDK 25); a thread that parks lets them run. A peer on the same machine or
     * the kernel's part of a software device may need this CPU: with a single one always, and otherwise if the
     * scheduler keeps two threads that wake each other on one CPU, although another one is idle.
     *
     * @param round how often it has polled
     * @param spunNanos how long it has spun
     * @param othersWait whether another thread waits for the lock that this one holds while it polls
     */
    public static void pause(int round, long spunNanos, boolean othersWait) {
        if (!Thread.currentThread().isVirtual()) {
            if (yields(PROCESSORS, spunNanos, othersWait)) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        } else if (round % YIELDS_PER_PARK == 0) {
            LockSupport.parkNanos(1);
        } else {
            Thread.yield();
        }
    }

    /** Whether a spinning platform thread lets others run between two polls. */
    static boolean yields(int processors, long spunNanos, boolean othersWait) {
        return othersWait || processors == 1 || spunNanos >= LONGEST_WITHOUT_YIELD_NANOS;
    }

    /** Ends the spinning that {@link #start} has allowed. */
    public static void stop() {
        SPINNING.decrementAndGet();
    }

    /**
     * Returns whether a spinning thread has kept its CPU during polls, and records a preemption. No thread spins for a
     * while after a preemption that spinning has not paid for.
     *
     * @param before the {@link System#nanoTime} before the polls
     * @param now the {@link System#nanoTime} after them
     * @param polls the number of polls
     * @param found whether they found something, which takes longer
     */
    public boolean keptCpu(long before, long now, int polls, boolean found) {
        long most = found
                ? CpuPressure.BUSY_GAP_NANOS
                : Math.max(CpuPressure.IDLE_GAP_NANOS, polls * LONGEST_IDLE_POLL_NANOS);
        if (now - before < most) {
            return true;
        }
        if (answeredNanos >= WORTH * (now - before)) {
            pressure.spinningPaid();
        } else {
            pressure.preempted(now);
        }
        answeredNanos = 0;
        return false;
    }

    /**
     * {@return whether the next wait will most likely not spin}
     *
     * @param now of {@link System#nanoTime}
     */
    public boolean sleepsAtOnce(long now) {
        return nanos == 0 || pressure.isHigh(now);
    }

    /** {@return whether any wait may spin, so that measuring is useful} */
    public boolean maySpin() {
        return most > 0;
    }

    /**
     * {@return whether the next wait will not spin, not even as a trial}
     *
     * @param now of {@link System#nanoTime}
     */
    public boolean sleepsNext(long now) {
        return pressure.isHigh(now) || nanos == 0 && waits + 1 < WAITS_PER_TRIAL;
    }

    /**
     * {@return how long the wait that begins may spin, in nanoseconds; 0 if it should sleep at once}
     *
     * @param now of {@link System#nanoTime}
     */
    public long next(long now) {
        if (pressure.isHigh(now)) {
            return 0;
        }
        if (++waits >= WAITS_PER_TRIAL) {
            waits = 0;
            return most;
        }
        return nanos;
    }

    /** Records that something arrived after so many nanoseconds, while the thread was spinning. */
    public void seen(long after) {
        answeredNanos += after;
        nanos = Math.min(most, Math.max(2 * after, nanos - nanos / 8));
    }

    /**
     * Records that nothing arrived while the thread was spinning, and that it slept.
     *
     * @param after the nanoseconds from the beginning of the wait until the thread ran again
     * @param came whether something had arrived. If not, the time was over or the wake-up was useless, and a short time
     *     means nothing
     */
    public void slept(long after, boolean came) {
        if (after >= most) {
            nanos = nanos / 2 < LEAST_NANOS ? 0 : nanos / 2;
        } else if (came) {
            nanos = Math.min(most, 2 * after);
        }
    }
}
