// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import java.time.Duration;

/** A point in time after which nothing is waited for any longer. */
public final class Deadline {
    private final long end;

    private Deadline(long end) {
        this.end = end;
    }

    /** From now on. */
    public static Deadline in(Duration limit) {
        return new Deadline(System.nanoTime() + limit.toNanos());
    }

    /** Nanoseconds left; not negative. */
    public long remainingNanoseconds() {
        return Math.max(0, end - System.nanoTime());
    }

    /** Whether it has passed. */
    public boolean passed() {
        return remainingNanoseconds() == 0;
    }
}
