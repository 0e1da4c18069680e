// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import java.time.Duration;

/** How long things may take: each step, and all of them together. */
public final class Limits {
    /** A step: longer than a queue pair retries before it gives up. */
    public static final Duration STEP = Duration.ofSeconds(10);

    private final Duration whole;
    private final long end;

    /** Begins to count. */
    public Limits(Duration whole) {
        this.whole = whole;
        this.end = System.nanoTime() + whole.toNanos();
    }

    /**
     * What a step may take.
     *
     * @throws PeerLostException if nothing is left of the whole
     */
    public Duration step() {
        return atMost(STEP);
    }

    /**
     * What something may take that takes as long as this by itself.
     *
     * @throws PeerLostException if nothing is left of the whole
     */
    public Duration atMost(Duration wanted) {
        Duration left = left();
        if (left.isZero()) {
            throw new PeerLostException("not all was done within " + whole.toSeconds() + " s (--timeout)");
        }
        return wanted.compareTo(left) < 0 ? wanted : left;
    }

    /** What is left of the whole; zero if nothing. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }
}
