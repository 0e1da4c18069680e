// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.base;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Timeouts in nanoseconds. One that is longer than 292 years counts as 292 years. */
public final class Timeouts {
    private Timeouts() {}

    /**
     * Converts a timeout.
     *
     * @param timeout any
     * @return the nanoseconds; 0 for a negative timeout
     */
    public static long nanos(Duration timeout) {
        return Math.max(0, TimeUnit.NANOSECONDS.convert(timeout));
    }

    /**
     * Refuses a negative timeout.
     *
     * @param timeout zero or more
     * @return the nanoseconds
     * @throws IllegalArgumentException if the timeout is negative
     */
    public static long checkedNanos(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("a negative timeout, " + TimeText.of(timeout));
        }
        return nanos(timeout);
    }
}
