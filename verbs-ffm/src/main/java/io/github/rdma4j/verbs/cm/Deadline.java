// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.base.Timeouts;
import java.time.Duration;

/** The deadline of a wait that has several steps. */
final class Deadline {
    private static final Duration MILLISECOND = Duration.ofMillis(1);

    private final Duration timeout;
    private final long limit;
    private final long start = System.nanoTime();

    Deadline(Duration timeout) {
        this.timeout = timeout;
        this.limit = Timeouts.nanos(timeout);
    }

    Duration timeout() {
        return timeout;
    }

    /** Returns the remaining time, never negative. */
    Duration remaining() {
        return Duration.ofNanos(Math.max(0, limit - (System.nanoTime() - start)));
    }

    Duration atLeastOneMillisecond() {
        Duration remaining = remaining();
        return remaining.compareTo(MILLISECOND) < 0 ? MILLISECOND : remaining;
    }
}
