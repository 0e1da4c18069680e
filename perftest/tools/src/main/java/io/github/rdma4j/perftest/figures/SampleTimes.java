// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.figures;

import java.util.Arrays;

/** The individual latencies of a run. */
public final class SampleTimes {
    private final long[] nanoseconds;
    private final double unit;

    private SampleTimes(long[] nanoseconds, double unit) {
        this.nanoseconds = nanoseconds;
        this.unit = unit;
    }

    /**
     * Computes the samples from the times at their ends.
     *
     * @param stamps nanoseconds, ascending
     * @param count the number of valid stamps, at least 2
     * @param parts the number of equal parts of a sample, of which one is the latency
     */
    public static SampleTimes between(long[] stamps, int count, int parts) {
        long[] times = new long[count - 1];
        for (int i = 0; i < times.length; i++) {
            times[i] = stamps[i + 1] - stamps[i];
        }
        return new SampleTimes(times, 1000.0 * parts);
    }

    /** Returns the number of samples. */
    public int count() {
        return nanoseconds.length;
    }

    /** Returns a latency in microseconds. */
    public double microseconds(int index) {
        return nanoseconds[index] / unit;
    }

    /** These times from the shortest to the longest. */
    public SampleTimes sorted() {
        long[] sorted = nanoseconds.clone();
        Arrays.sort(sorted);
        return new SampleTimes(sorted, unit);
    }
}
