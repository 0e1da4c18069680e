// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What a rank is doing, and since when: NCCL has calls that never return when another rank is gone. */
final class Progress {
    /** Whoever waits for a rank with the same limit shall be the first to tell: he knows for whom. */
    private static final long GRACE = TimeUnit.SECONDS.toNanos(1);

    private final long nanos;
    private volatile String doing = "starting";
    private volatile long since = System.nanoTime();

    Progress(Duration timeout) {
        nanos = timeout.toNanos() + GRACE;
    }

    /** Something new has begun. */
    void step(String what) {
        doing = what;
        since = System.nanoTime();
    }

    String doing() {
        return doing;
    }

    boolean isOverdue() {
        return System.nanoTime() - since > nanos;
    }
}
