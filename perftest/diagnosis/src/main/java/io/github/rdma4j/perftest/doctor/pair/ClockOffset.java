// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import java.util.List;
import java.util.Locale;

/**
 * The offset of the other end's clock, from one exchange. The answer was created at some time between request and
 * arrival, so half of the round trip is the uncertainty.
 *
 * @param ahead how far the other end's clock is ahead, in nanoseconds; negative if it is behind
 * @param uncertainty in nanoseconds
 * @param roundTrip in nanoseconds
 */
public record ClockOffset(long ahead, long uncertainty, long roundTrip) {
    private static final long APART = 1_000_000_000;
    private static final double MICROSECOND = 1000;
    private static final double MILLISECOND = 1_000_000;

    /**
     * Computes the offset from one exchange.
     *
     * @param asked this end's clock at the request, in nanoseconds since 1970
     * @param answered the other end's clock
     * @param roundTrip nanoseconds from the request to the arrival of the answer
     */
    public static ClockOffset of(long asked, long answered, long roundTrip) {
        return new ClockOffset(answered - asked - roundTrip / 2, roundTrip / 2, roundTrip);
    }

    /** Returns the offset with the shortest round trip, which is the most certain. */
    public static ClockOffset best(List<ClockOffset> offsets) {
        return offsets.stream()
                .min((one, other) -> Long.compare(one.roundTrip, other.roundTrip))
                .orElseThrow();
    }

    /** Returns whether the clocks are more than a second apart, for certain. */
    public boolean isApart() {
        return Math.abs(ahead) - uncertainty > APART;
    }

    /** A length of time for people. */
    public static String words(long nanoseconds) {
        long size = Math.abs(nanoseconds);
        if (size >= APART) {
            return String.format(Locale.ROOT, "%.1f s", size / (double) APART);
        }
        return size >= MILLISECOND
                ? String.format(Locale.ROOT, "%.1f ms", size / MILLISECOND)
                : String.format(Locale.ROOT, "%.0f µs", size / MICROSECOND);
    }

    @Override
    public String toString() {
        if (Math.abs(ahead) <= uncertainty) {
            return "the clocks agree within " + words(uncertainty);
        }
        return "the other end's clock is " + words(ahead) + (ahead > 0 ? " ahead" : " behind") + ", give or take "
                + words(uncertainty);
    }
}
