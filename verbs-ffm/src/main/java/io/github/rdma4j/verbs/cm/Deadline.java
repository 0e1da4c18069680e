// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import java.time.Duration;

/** The end of a wait of several steps. */
final class Deadline {
    private static final Duration MILLISECOND = Duration.ofMillis(1);

    private final Duration timeout;
    private final long start = System.nanoTime();

    Deadline(Duration timeout) {
        this.timeout = timeout;
    }

    Duration timeout() {
        return timeout;
    }

    /** Not negative. */
    Duration remaining() {
        if (timeout.isNegative()) {
            // The longest of these has no room for a difference.
            return Duration.ZERO;
        }
        Duration remaining = timeout.minusNanos(System.nanoTime() - start);
        return remaining.isNegative() ? Duration.ZERO : remaining;
    }

    Duration atLeastOneMillisecond() {
        Duration remaining = remaining();
        return remaining.compareTo(MILLISECOND) < 0 ? MILLISECOND : remaining;
    }
}
