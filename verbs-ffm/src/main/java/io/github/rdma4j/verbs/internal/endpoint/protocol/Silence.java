// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import java.time.Duration;

/**
 * Detects that a path is dead. An adapter may not: SoftRoCE repeats forever, and a path on which nothing is sent can
 * die unnoticed. So every request must be acknowledged in time, and after a while without a request, a probe is sent.
 *
 * <p>On iWARP a client also probes soon after it has connected. SoftiWARP answers a client before it reads from it, so
 * the first message may stay unread until another one follows. A server that answers has read it. A server that sends
 * first has not, so another probe follows the server's first sign of life.
 *
 * <p>Time counts only while a thread checks: a gap between two checks counts as a quarter of the patience at most. So
 * neither a program that calls nothing for an hour nor a suspended machine mistakes its own pause for the peer's.
 */
public final class Silence {
    /** The result of a check. */
    public enum Verdict {
        FINE,
        /**
         * There was no sign of life for a while, and no request is under way; or an early probe is due.
         */
        PROBE,
        /** A request should have been acknowledged long ago. */
        DEAD
    }

    /** A megabyte per second: a peer that is as slow as this counts as alive. */
    private static final long NANOS_PER_BYTE = 1_000;

    private static final long FIRST_PROBE = Duration.ofMillis(20).toNanos();
    private static final long LAST_PROBE = 100 * FIRST_PROBE;

    private final long patience;
    private final long longestGap;
    /** The time of the next early probe, from the first check; the maximum if there is none. */
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
     * Creates it.
     *
     * @param nanos the time until the verdict; one half is for the probe and the other for its answer; zero for no
     *     verdict
     * @param probesEarly whether the peer's adapter may leave the first message unread
     */
    public Silence(long nanos, boolean probesEarly) {
        // In each half, the gap in which the last sign arrived does not count, because the sign may have arrived at its
        // end.
        patience = nanos / 5 * 2;
        longestGap = patience == 0 ? Long.MAX_VALUE : Math.max(1, patience / 4);
        nextEarlyProbe = probesEarly ? FIRST_PROBE : Long.MAX_VALUE;
        mayBeAsleep = probesEarly;
    }

    /** Records that the peer's adapter has acknowledged a request. */
    void acknowledged() {
        acknowledged = true;
    }

    /** Records that something has arrived from the peer. */
    void received() {
        received = true;
        if (mayBeAsleep) {
            mayBeAsleep = false;
            nextEarlyProbe = 0;
        }
    }

    /**
     * Checks the time, after everything that arrived was taken in.
     *
     * @param now the current {@link System#nanoTime}
     * @param underWay whether a request is under way that the peer's adapter acknowledges
     * @param length the length of the oldest such request, in bytes
     */
    Verdict check(long now, boolean underWay, long length) {
        first = started ? first : now;
        long gap = started ? Math.min(longestGap, now - last) : 0;
        // Messages from the peer acknowledge no request: a path can be cut in one direction.
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

    /** {@return after how many nanoseconds the next check must be made at the latest} */
    long nanosToNextCheck() {
        long toEarlyProbe =
                nextEarlyProbe == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(1, nextEarlyProbe - (last - first));
        return Math.min(longestGap, toEarlyProbe);
    }
}
