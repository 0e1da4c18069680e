// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

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
 * <p>A thread that is preempted while it spins competes for the CPU with threads that have work, and with a software
 * adapter also with the threads that bring its response. It does not spin again before the next trial. A thread that
 * mostly sleeps gets the CPU at once when something arrives; a spinning one waits some milliseconds for its turn,
 * during which messages queue up. So repeated preemption makes trials rarer.
 *
 * <p>In the whole JVM at most as many threads spin at a time as there are CPUs. The others sleep at once and leave the
 * CPUs to threads with work.
 */
final class SpinTime {
    /** Their share of the processor's time is small: of waits that are longer than the limit, a sixteenth at most. */
    static final int WAITS_PER_TRIAL = 16;
    /** As rare as trials become where the processor is lost again and again. */
    static final int MOST_WAITS_PER_TRIAL = 4096;
    /** A processor that is lost in one of so many waits is an exception. */
    static final int WAITS_PER_LOSS = 1024;
    /** Less is not worth asking the clock. */
    private static final long LEAST_NANOS = 1_000;

    /** Shorter than the turns by which threads share a processor, and longer than any look. */
    private static final long TURN_NANOS = 1_000_000;

    /** Parking costs some 20 µs of processor time. */
    private static final int YIELDS_PER_PARK = 32;

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    private static final AtomicInteger SPINNING = new AtomicInteger();

    private final long most;
    private long nanos;
    private int waits;
    private int waitsPerTrial = WAITS_PER_TRIAL;
    /** The processor was lost, and no trial has come since. */
    private boolean contended;
    /** Those that spun since the processor was lost the last time. */
    private int spins = WAITS_PER_LOSS;

    /**
     * Begins with all that is allowed.
     *
     * @param most nanoseconds that one wait may spin; 0 never spins
     */
    SpinTime(long most) {
        this.most = most;
        this.nanos = most;
    }

    /** Whether a thread more may spin; then it calls {@link #stop}. */
    static boolean start() {
        if (SPINNING.incrementAndGet() <= PROCESSORS) {
            return true;
        }
        SPINNING.decrementAndGet();
        return false;
    }

    /**
     * Between two looks of a thread that spins. A virtual thread that yields may be the next to run again, time after
     * time, with others waiting for its carrier (seen with JDK 25); one that parks lets them run. On the only processor
     * a peer on the same machine, and the kernel's part of an adapter of software, can do nothing meanwhile.
     *
     * @param round how often it has looked
     * @param othersWait whether another thread waits for what this one holds while it looks
     */
    static void pause(int round, boolean othersWait) {
        if (!Thread.currentThread().isVirtual()) {
            if (yields(PROCESSORS, othersWait)) {
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

    /** Whether a thread of the platform that spins lets others run between two looks. */
    static boolean yields(int processors, boolean othersWait) {
        return othersWait || processors == 1;
    }

    /** A thread spins no longer. */
    static void stop() {
        SPINNING.decrementAndGet();
    }

    /** A wait has spun for so many nanoseconds, whatever it has found. */
    void spun(long after) {
        if (after <= most + TURN_NANOS) {
            spins = Math.min(spins + 1, WAITS_PER_LOSS);
            return;
        }
        waitsPerTrial = spins == WAITS_PER_LOSS ? WAITS_PER_TRIAL : Math.min(2 * waitsPerTrial, MOST_WAITS_PER_TRIAL);
        spins = 0;
        contended = true;
        waits = 0;
    }

    /** {@return whether the next wait will most likely not spin} */
    boolean sleepsAtOnce() {
        return contended || nanos == 0;
    }

    /** {@return whether any wait may spin: whether there is something to learn} */
    boolean maySpin() {
        return most > 0;
    }

    /** {@return whether the next wait will not spin, not even to find out} */
    boolean sleepsNext() {
        return sleepsAtOnce() && waits + 1 < waitsBeforeTrial();
    }

    private int waitsBeforeTrial() {
        return contended ? waitsPerTrial : WAITS_PER_TRIAL;
    }

    /** {@return how long the wait that begins may spin, in nanoseconds; 0 if it should sleep at once} */
    long next() {
        if (++waits >= waitsBeforeTrial()) {
            waits = 0;
            contended = false;
            return most;
        }
        return contended ? 0 : nanos;
    }

    /** Something came after so many nanoseconds, while the thread was spinning. */
    void seen(long after) {
        nanos = Math.min(most, Math.max(2 * after, nanos - nanos / 8));
    }

    /**
     * Nothing came while the thread was spinning, and it slept.
     *
     * @param after so many nanoseconds after its wait had begun it ran again
     * @param came whether something had come; if not, the time was over, or the wake-up was useless: then a short time
     *     means nothing
     */
    void slept(long after, boolean came) {
        if (after >= most) {
            nanos = nanos / 2 < LEAST_NANOS ? 0 : nanos / 2;
        } else if (came) {
            nanos = Math.min(most, 2 * after);
        }
    }
}
