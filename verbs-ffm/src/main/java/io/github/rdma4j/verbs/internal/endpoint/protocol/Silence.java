// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import java.time.Duration;

/**
 * Finds out that a wire is dead. An adapter need not: SoftRoCE sends again for ever, and nobody notices the death of a
 * wire on which nothing is sent. So what is under way must be acknowledged in time, and when nothing has been for a
 * while, a probe asks.
 *
 * <p>On iWARP a client also probes soon after it has connected. SoftiWARP answers a client before it reads from it, so
 * that the first message may lie there unread until another follows. A server that answers has read it. A server
 * that speaks first has not, so one more probe follows its first sign of life.
 *
 * <p>Time counts only while somebody looks: a gap between two looks counts as a quarter of the patience at most, so
 * neither a program that calls nothing for an hour nor a machine that was suspended takes its own pause for the peer's.
 */
public final class Silence {
    /** What a look at the clock has shown. */
    public enum Verdict {
        FINE,
        /**
         * No sign of life for a while, and nothing is under way that would be acknowledged; or an early probe is due.
         */
        PROBE,
        /** What is under way should have been acknowledged long ago. */
        DEAD
    }

    /** A megabyte per second: a peer that is as slow as this counts as alive. */
    private static final long NANOS_PER_BYTE = 1_000;

    private static final long FIRST_PROBE = Duration.ofMillis(20).toNanos();
    private static final long LAST_PROBE = 100 * FIRST_PROBE;

    private final long patience;
    private final long longestGap;
    /** How long after the first look the next early probe comes; the longest time there is for none. */
    private long nextEarlyProbe;

    private boolean mayBeAsleep;
    private long first;
    private boolean acknowledged;
    private boolean received;
    private boolean waiting;
    private boolean started;
    private long last;
    private long silent;

    /**
     * The start.
     *
     * @param nanos until the verdict; half of it for the probe and half for its answer; zero never gives a verdict
     * @param probesEarly whether the peer's adapter may sleep over what comes first
     */
    public Silence(long nanos, boolean probesEarly) {
        // In each half the gap between two looks in which the last sign came does not count, as it may have come at its
        // end.
        patience = nanos / 5 * 2;
        longestGap = patience == 0 ? Long.MAX_VALUE : Math.max(1, patience / 4);
        nextEarlyProbe = probesEarly ? FIRST_PROBE : Long.MAX_VALUE;
        mayBeAsleep = probesEarly;
    }

    /** The peer's adapter has acknowledged something. */
    void acknowledged() {
        acknowledged = true;
    }

    /** Something has come from the peer. */
    void received() {
        received = true;
        if (mayBeAsleep) {
            mayBeAsleep = false;
            nextEarlyProbe = 0;
        }
    }

    /**
     * Looks at the clock, after everything that came was taken in.
     *
     * @param now in nanoseconds, of {@link System#nanoTime}
     * @param underWay whether something is under way that the peer's adapter acknowledges
     * @param length of the oldest of that, in bytes
     */
    Verdict look(long now, boolean underWay, long length) {
        first = started ? first : now;
        long gap = started ? Math.min(longestGap, now - last) : 0;
        // Messages from the peer acknowledge nothing that is under way: a wire can be cut in one direction.
        boolean sign = acknowledged || received && !underWay || underWay != waiting || !started;
        started = true;
        last = now;
        waiting = underWay;
        acknowledged = false;
        received = false;
        silent = sign ? 0 : silent + gap;
        if (now - first >= nextEarlyProbe) {
            nextEarlyProbe = mayBeAsleep && nextEarlyProbe < LAST_PROBE ? 10 * nextEarlyProbe : Long.MAX_VALUE;
            return Verdict.PROBE;
        }
        if (patience == 0 || silent < patience + (underWay ? length * NANOS_PER_BYTE : 0)) {
            return Verdict.FINE;
        }
        return underWay ? Verdict.DEAD : Verdict.PROBE;
    }

    /** How long one may sleep before the next look. */
    long nanosToNextLook() {
        long toEarlyProbe =
                nextEarlyProbe == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(1, nextEarlyProbe - (last - first));
        return Math.min(longestGap, toEarlyProbe);
    }
}
