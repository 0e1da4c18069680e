// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import java.time.Duration;

/** What a rank is doing, and since when: NCCL has calls that never return when another rank is gone. */
final class Progress {
    private final long nanos;
    private volatile String doing = "starting";
    private volatile long since = System.nanoTime();

    Progress(Duration timeout) {
        nanos = timeout.toNanos();
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
