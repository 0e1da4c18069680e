// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import org.HdrHistogram.Histogram;

/**
 * Latency of a number of messages: half the time between two of our own sends, in microseconds. Of n messages there are
 * n − 1 such times, and all of them count: unlike in the C tools, none is cut off at the upper end.
 *
 * @param size message size in bytes
 * @param iterations messages sent
 * @param minimum the shortest time, exact
 * @param maximum the longest time, exact
 * @param typical the median
 * @param average arithmetic mean
 * @param deviation standard deviation (of the population)
 * @param percentile99 99 % of the times are not longer
 * @param percentile999 99.9 % are not longer
 * @param percentile9999 99.99 % are not longer
 */
public record LatencyResult(
        long size,
        long iterations,
        double minimum,
        double maximum,
        double typical,
        double average,
        double deviation,
        double percentile99,
        double percentile999,
        double percentile9999)
        implements SizeResult {
    /** Three digits: percentiles are true to 0.1 %. */
    private static final int SIGNIFICANT_DIGITS = 3;

    /** Two of our sends lie one round trip apart; half of it is one way. In microseconds. */
    private static final double ONE_WAY = 1.0 / (2 * 1000);

    /**
     * Summarises the times of the sends.
     *
     * @param size message size in bytes
     * @param stamps nanosecond times, ascending
     * @param count how many of them, at least 2
     */
    static LatencyResult ofStamps(long size, long[] stamps, int count) {
        Histogram histogram = new Histogram(SIGNIFICANT_DIGITS);
        int deltas = count - 1;
        long least = Long.MAX_VALUE;
        long most = 0;
        for (int i = 0; i < deltas; i++) {
            long delta = stamps[i + 1] - stamps[i];
            histogram.recordValue(delta);
            least = Math.min(least, delta);
            most = Math.max(most, delta);
        }
        double mean = (double) (stamps[deltas] - stamps[0]) / deltas;
        double squares = 0;
        for (int i = 0; i < deltas; i++) {
            double distance = stamps[i + 1] - stamps[i] - mean;
            squares += distance * distance;
        }
        return new LatencyResult(
                size,
                count,
                least * ONE_WAY,
                most * ONE_WAY,
                percentile(histogram, 50, most),
                mean * ONE_WAY,
                Math.sqrt(squares / deltas) * ONE_WAY,
                percentile(histogram, 99, most),
                percentile(histogram, 99.9, most),
                percentile(histogram, 99.99, most));
    }

    private static double percentile(Histogram histogram, double percentile, long most) {
        // A bucket is named by its upper end, which may lie beyond the largest value recorded.
        return Math.min(histogram.getValueAtPercentile(percentile), most) * ONE_WAY;
    }
}
