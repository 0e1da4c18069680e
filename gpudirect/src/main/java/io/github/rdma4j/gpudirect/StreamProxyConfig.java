// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.base.TimeText;
import java.time.Duration;

/**
 * The settings of {@link StreamProxy#start}. Setters return this; thread safety: for one thread.
 *
 * @since 0.1.0
 */
public final class StreamProxyConfig {
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

    private long spinNanos = 10_000_000;
    private long pauseNanos = 100_000;

    StreamProxyConfig() {}

    /**
     * Sets how long the thread polls without a pause after the last activity; default 10 ms. It uses a core for that
     * time.
     *
     * @param time 0 or more
     * @return this
     */
    public StreamProxyConfig spin(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("spin %s: zero or more".formatted(TimeText.of(time)));
        }
        spinNanos = time.compareTo(Duration.ofDays(1000)) > 0 ? Long.MAX_VALUE / 2 : time.toNanos();
        return this;
    }

    /**
     * Sets how long the thread sleeps between two polls after that; default 100 µs. A request waits for the next poll.
     * A start that the program submits to a stream wakes the thread; a start in a graph does not.
     *
     * @param time more than 0, at most 100 ms
     * @return this
     */
    public StreamProxyConfig pause(Duration time) {
        if (time.isNegative() || time.isZero() || time.compareTo(LONGEST_PAUSE) > 0) {
            throw new IllegalArgumentException(
                    "a pause of " + TimeText.of(time) + "; more than 0 and at most " + TimeText.of(LONGEST_PAUSE));
        }
        pauseNanos = time.toNanos();
        return this;
    }

    long spinNanos() {
        return spinNanos;
    }

    long pauseNanos() {
        return pauseNanos;
    }
}
