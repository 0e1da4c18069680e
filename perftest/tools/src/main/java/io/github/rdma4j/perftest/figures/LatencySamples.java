// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.figures;

import org.HdrHistogram.Histogram;

/**
 * Collects the latencies of a run, one by one: an HdrHistogram of all of them, and exact values of the least, the
 * greatest, the mean and the deviation, which a histogram has only to the width of its buckets.
 *
 * <p>The constructor allocates all memory, so that {@link #record} can be called in a measured loop. For use by one
 * thread.
 */
public final class LatencySamples {
    /** The number of significant digits of percentiles: they are accurate to 0.1 %. */
    static final int SIGNIFICANT_DIGITS = 3;

    /** One hour: no run pauses for longer, and the histogram counts a longer time as an hour. */
    private static final long LONGEST = 3_600_000_000_000L;

    private final Histogram histogram = new Histogram(1, LONGEST, SIGNIFICANT_DIGITS);
    private final int parts;

    private long count;
    private long least;
    private long most;

    /** The sums are of the differences from the first sample, so that they lose no digits if all samples are alike. */
    private long reference;

    private long sum;
    private double squares;

    /**
     * @param parts the number of equal parts of a recorded time, one of which is the latency: 2 if round trips are
     *     recorded and the latency is one way, otherwise 1
     */
    public LatencySamples(int parts) {
        this.parts = parts;
        clear();
    }

    /** Forgets all. */
    public void clear() {
        histogram.reset();
        count = 0;
        least = Long.MAX_VALUE;
        most = 0;
        reference = 0;
        sum = 0;
        squares = 0;
    }

    /**
     * One more.
     *
     * @param nanoseconds the time in all its parts, not negative
     */
    public void record(long nanoseconds) {
        if (count == 0) {
            reference = nanoseconds;
        }
        count++;
        least = Math.min(least, nanoseconds);
        most = Math.max(most, nanoseconds);
        long distance = nanoseconds - reference;
        sum += distance;
        squares += (double) distance * distance;
        histogram.recordValue(Math.min(parts == 1 ? nanoseconds : (nanoseconds + parts - 1) / parts, LONGEST));
    }

    /** Returns the number of samples. */
    public long count() {
        return count;
    }

    /**
     * Returns the figures of the samples.
     *
     * @param begin start of the first sample, milliseconds since 1970
     * @param end end of the last sample, likewise
     * @throws IllegalStateException when there are no samples
     */
    public LatencyFigures figures(long begin, long end) {
        if (count == 0) {
            throw new IllegalStateException("no samples");
        }
        double mean = (double) sum / count;
        double variance = Math.max(0, squares / count - mean * mean);
        double unit = 1000.0 * parts;
        // Only as large as its greatest value requires.
        Histogram copy = new Histogram(SIGNIFICANT_DIGITS);
        copy.add(histogram);
        copy.setStartTimeStamp(begin);
        copy.setEndTimeStamp(end);
        return new LatencyFigures(
                count, least / unit, most / unit, (reference + mean) / unit, Math.sqrt(variance) / unit, copy);
    }
}
