// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import java.time.Duration;

/** The time at which waiting ends. */
public final class Deadline {
    private final long end;

    private Deadline(long end) {
        this.end = end;
    }

    /** Returns a deadline that starts now. */
    public static Deadline in(Duration limit) {
        return new Deadline(System.nanoTime() + limit.toNanos());
    }

    /** Returns the remaining nanoseconds; not negative. */
    public long remainingNanoseconds() {
        return Math.max(0, end - System.nanoTime());
    }

    /** Returns whether it has passed. */
    public boolean passed() {
        return remainingNanoseconds() == 0;
    }
}
