// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

/**
 * The software rate limit of the bandwidth tools: bursts of messages at a constant interval, over all queue pairs
 * together.
 *
 * <p>A burst is due at a constant time after the previous one was due. Unlike in the C tools, the cost of reading the
 * clock does not accumulate. A side that falls behind by more than one burst does not catch up.
 *
 * <p>The caller passes the time. Does not allocate. For use by one thread.
 */
public final class BurstLimit {
    private final long burst;
    private final double interval;
    private double due = Double.NaN;
    private long left;

    /**
     * @param perSecond messages per second, above 0
     * @param burst messages of a burst, at least 1
     */
    public BurstLimit(double perSecond, long burst) {
        this.burst = burst;
        this.interval = burst * 1e9 / perSecond;
    }

    /** Begins a burst if the previous one has been sent and the time, in nanoseconds, has come. */
    void beginIfDue(long now) {
        if (left == 0) {
            if (Double.isNaN(due)) {
                due = now;
            }
            if (now >= due) {
                left = burst;
                due = now - due > interval ? now + interval : due + interval;
            }
        }
    }

    /** Returns how many messages may be posted. */
    long left() {
        return left;
    }

    /** Called when this many of the permitted messages were posted; returns whether they end the burst. */
    boolean posted(long messages) {
        left -= messages;
        return left == 0;
    }
}
