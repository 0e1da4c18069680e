// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.wire.BandwidthReport;

/**
 * Bandwidth of a run.
 *
 * @param size message size in bytes
 * @param iterations messages sent, over all queue pairs
 * @param peak best rate between the post of one message and the completion of the same or a later one; 0 when not
 *     measured
 * @param average bytes over time from the first post to the last completion
 * @param messageRate million messages per second
 * @param gigabits whether peak and average are in Gb/s (10^9 bits), not MiB/s (2^20 bytes)
 */
public record BandwidthResult(
        long size, long iterations, double peak, double average, double messageRate, boolean gigabits)
        implements SizeResult {
    private static final double MEBIBYTE = 1 << 20;
    private static final double GIGABIT_IN_BYTES = 125e6;

    /**
     * @param messages messages sent in the measured time
     * @param nanoseconds measured time
     * @param peakPerNanosecond best rate, in messages per nanosecond
     */
    static BandwidthResult of(long size, long messages, long nanoseconds, double peakPerNanosecond, boolean gigabits) {
        double unit = gigabits ? GIGABIT_IN_BYTES : MEBIBYTE;
        double perSecond = messages * 1e9 / nanoseconds;
        return new BandwidthResult(
                size,
                messages,
                peakPerNanosecond * 1e9 * size / unit,
                perSecond * size / unit,
                perSecond / 1e6,
                gigabits);
    }

    static BandwidthResult of(BandwidthReport report, boolean gigabits) {
        return new BandwidthResult(
                report.size(), report.iterations(), report.peak(), report.average(), report.messageRate(), gigabits);
    }

    BandwidthReport toReport() {
        return new BandwidthReport(size, iterations, peak, average, messageRate);
    }

    /** Both directions together, as the C tools report a bidirectional run: the number of messages is one side's. */
    BandwidthResult plus(BandwidthReport other) {
        return new BandwidthResult(
                size,
                iterations,
                peak + other.peak(),
                average + other.average(),
                messageRate + other.messageRate(),
                gigabits);
    }
}
