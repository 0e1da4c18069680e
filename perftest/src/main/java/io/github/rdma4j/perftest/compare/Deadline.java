// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import java.time.Duration;

/** A point in time after which nothing is waited for any longer. */
final class Deadline {
    private final long end;

    private Deadline(long end) {
        this.end = end;
    }

    /** From now on. */
    static Deadline in(Duration limit) {
        return new Deadline(System.nanoTime() + limit.toNanos());
    }

    /** Nanoseconds left; not negative. */
    long remainingNanoseconds() {
        return Math.max(0, end - System.nanoTime());
    }

    /** Whether it has passed. */
    boolean passed() {
        return remainingNanoseconds() == 0;
    }
}
