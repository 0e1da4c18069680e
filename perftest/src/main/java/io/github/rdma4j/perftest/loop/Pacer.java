// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

/**
 * When the messages of an open loop are due: one after the other at a constant rate from a beginning, whatever becomes
 * of those before. A message that is late moves none of the later ones, so a standstill shows in the latency of every
 * message that should have been sent meanwhile.
 *
 * <p>Knows no clock: whoever asks compares with one. Allocates nothing. Used by one thread.
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

    /** Begins again: the first message is due at this time. */
    void begin(long nanoseconds) {
        begin = nanoseconds;
        number = 0;
    }

    /**
     * When the next message is due, in nanoseconds; the one after that at the next call. Not rounded from one to the
     * next.
     */
    long next() {
        return begin + (long) (number++ * interval);
    }

    /** How many have been asked for since the beginning. */
    long number() {
        return number;
    }
}
