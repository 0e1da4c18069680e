// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The current step of a rank and its start time, because some NCCL calls never return when another rank has failed. */
final class Progress {
    /** A rank that waits for a peer with the same timeout reports first, because it can name the peer. */
    private static final long GRACE = TimeUnit.SECONDS.toNanos(1);

    private final long nanos;
    private volatile String doing = "starting";
    private volatile long since = System.nanoTime();

    Progress(Duration timeout) {
        nanos = timeout.toNanos() + GRACE;
    }

    /** Starts a step. */
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
