// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import java.time.Duration;

/** The timeouts of each step, and of all of them together. */
public final class Limits {
    /** A step: longer than a queue pair retries before it gives up. */
    public static final Duration STEP = Duration.ofSeconds(10);

    private final Duration whole;
    private final long end;

    /** Starts the timeout. */
    public Limits(Duration whole) {
        this.whole = whole;
        this.end = System.nanoTime() + whole.toNanos();
    }

    /**
     * Returns the timeout of a step.
     *
     * @throws PeerLostException if the time for the whole has passed
     */
    public Duration step() {
        return atMost(STEP);
    }

    /**
     * Returns the timeout of an operation that normally takes this long.
     *
     * @throws PeerLostException if the time for the whole has passed
     */
    public Duration atMost(Duration wanted) {
        Duration left = left();
        if (left.isZero()) {
            throw new PeerLostException("the run did not finish within " + whole.toSeconds() + " s (--timeout)");
        }
        return wanted.compareTo(left) < 0 ? wanted : left;
    }

    /** Returns the remaining time; zero if the timeout has passed. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }
}
