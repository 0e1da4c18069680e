// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

/**
 * The times at which the messages of an open loop are due: at a constant rate from the start, independent of earlier
 * messages. A late message does not delay later ones, so a pause shows in the latency of every message that should have
 * been sent during it.
 *
 * <p>The caller reads the clock. Does not allocate. For use by one thread.
 */
final class Pacer {
    private final double interval;
    private long begin;
    private long number;

    /**
     * @param perSecond messages per second, above 0
     */
    Pacer(double perSecond) {
        interval = 1e9 / perSecond;
    }

    /** Restarts: the first message is due at this time. */
    void begin(long nanoseconds) {
        begin = nanoseconds;
        number = 0;
    }

    /**
     * Returns when the next message is due, in nanoseconds; the next call returns the time of the message after it.
     * Rounding errors do not accumulate.
     */
    long next() {
        return begin + (long) (number++ * interval);
    }

    /** Returns how many messages have been due since the beginning. */
    long number() {
        return number;
    }
}
