// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import java.util.concurrent.TimeUnit;

/**
 * Whether other threads want the CPUs on which threads of this JVM spin. A spinning thread that is preempted loses a
 * time slice of another thread, some milliseconds, while messages queue up; a thread that sleeps gets a CPU as soon as
 * something arrives. So after a preemption for which spinning has not paid, no thread of the JVM spins for a while.
 * Another one soon after that pause makes the next pause twice as long, up to a second: trials then cost about a
 * hundredth of the time.
 *
 * <p>Thread safety: any thread may call any method. An update that is lost in a race costs one more trial.
 */
final class CpuPressure {
    /** Shared by all connections, because they share the CPUs. */
    static final CpuPressure OF_JVM = new CpuPressure();

    /** Longer than polls that find nothing, and much shorter than a time slice. */
    static final long IDLE_GAP_NANOS = 100_000;
    /** Longer than polls that find something mostly take, and still shorter than a time slice. */
    static final long BUSY_GAP_NANOS = 500_000;

    static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(2);
    static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);
    /** A preemption within so many times the last pause makes the next one longer. */
    static final int MEMORY = 16;

    private volatile boolean high;
    private volatile long pause;
    private volatile long pauseEnd;

    /**
     * A spinning thread was preempted, but its spins before were worth more: the next pause is the shortest one.
     */
    void spinningPaid() {
        pause = 0;
    }

    /**
     * A spinning thread was preempted, and its spins before were not worth it.
     *
     * @param now of {@link System#nanoTime}
     */
    void preempted(long now) {
        if (isHigh(now)) {
            // This thread began to spin before the pause.
            return;
        }
        long last = pause;
        boolean again = last > 0 && now - pauseEnd < MEMORY * last;
        long next = again ? Math.min(2 * last, LONGEST_PAUSE) : SHORTEST_PAUSE;
        pause = next;
        pauseEnd = now + next;
        high = true;
    }

    /**
     * Returns whether no thread should spin now.
     *
     * @param now of {@link System#nanoTime}
     */
    boolean isHigh(long now) {
        if (high && now - pauseEnd >= 0) {
            high = false;
        }
        return high;
    }
}
