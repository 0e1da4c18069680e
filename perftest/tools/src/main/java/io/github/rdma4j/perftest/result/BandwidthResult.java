// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import io.github.rdma4j.perftest.wire.BandwidthReport;
import java.util.List;

/**
 * The bandwidth of a run.
 *
 * @param size message size in bytes
 * @param iterations messages sent, over all queue pairs
 * @param peak best rate between the post of one message and the completion of this or a later one; 0 when not measured
 * @param average bytes divided by the time from the first post to the last completion
 * @param messageRate million messages per second
 * @param gigabits whether peak and average are in Gb/s (10^9 bits), not MiB/s (2^20 bytes)
 * @param rounds each round, if there are several; otherwise empty
 * @param local this side's direction of a bidirectional run; otherwise null
 * @param remote the other direction of a bidirectional run; otherwise null
 */
public record BandwidthResult(
        long size,
        long iterations,
        double peak,
        double average,
        double messageRate,
        boolean gigabits,
        List<BandwidthResult> rounds,
        BandwidthResult local,
        BandwidthResult remote)
        implements SizeResult {
    private static final double MEBIBYTE = 1 << 20;
    private static final double GIGABIT_IN_BYTES = 125e6;
    private static final double SMALL_GIGABITS = 0.1;

    /** Copies the list. */
    public BandwidthResult {
        rounds = List.copyOf(rounds);
    }

    /** Creates the result of one round in one direction. */
    public BandwidthResult(
            long size, long iterations, double peak, double average, double messageRate, boolean gigabits) {
        this(size, iterations, peak, average, messageRate, gigabits, List.of(), null, null);
    }

    /** Returns whether two decimals would show too little of this side's figures, so that the C tools print six. */
    public boolean hasSmallFigures() {
        return gigabits && (local == null ? average : local.average) < SMALL_GIGABITS;
    }

    /**
     * @param messages messages sent in the measured time
     * @param nanoseconds measured time
     * @param peakPerNanosecond best rate, in messages per nanosecond
     */
    public static BandwidthResult of(
            long size, long messages, long nanoseconds, double peakPerNanosecond, boolean gigabits) {
        double unit = bytes(gigabits);
        double perSecond = messages * 1e9 / nanoseconds;
        return new BandwidthResult(
                size,
                messages,
                peakPerNanosecond * 1e9 * size / unit,
                perSecond * size / unit,
                perSecond / 1e6,
                gigabits);
    }

    /**
     * Returns the result of a side that only received. As in the C tools it has no peak.
     *
     * @param messages the messages received
     * @param timed the messages received within the time
     * @param nanoseconds the time between the first and the last completions
     */
    public static BandwidthResult received(long size, long messages, long timed, long nanoseconds, boolean gigabits) {
        BandwidthResult rate = of(size, timed, nanoseconds, 0, gigabits);
        return new BandwidthResult(size, messages, 0, rate.average, rate.messageRate, gigabits);
    }

    public static BandwidthResult of(BandwidthReport report, boolean gigabits) {
        return new BandwidthResult(
                report.size(), report.iterations(), report.peak(), report.average(), report.messageRate(), gigabits);
    }

    public BandwidthReport toReport() {
        return new BandwidthReport(size, iterations, peak, average, messageRate);
    }

    /** Both directions together, as the C tools report a bidirectional run: the number of messages is one side's. */
    public BandwidthResult plus(BandwidthReport other) {
        return new BandwidthResult(
                size,
                iterations,
                peak + other.peak(),
                average + other.average(),
                messageRate + other.messageRate(),
                gigabits,
                List.of(),
                this,
                of(other, gigabits));
    }

    /**
     * Combines several rounds of one size: all messages divided by the total measured time; the peak is the best of all
     * rounds.
     *
     * @param rounds at least one, all of them with or all without directions
     */
    public static BandwidthResult together(List<BandwidthResult> rounds) {
        BandwidthResult first = rounds.getFirst();
        if (rounds.size() == 1) {
            return first;
        }
        long iterations = 0;
        double time = 0;
        double peak = 0;
        for (BandwidthResult round : rounds) {
            iterations += round.iterations;
            time += round.iterations / round.messageRate;
            peak = Math.max(peak, round.peak);
        }
        double rate = iterations / time;
        boolean bothWays = first.local != null;
        return new BandwidthResult(
                first.size,
                iterations,
                peak,
                rate * 1e6 * first.size / bytes(first.gigabits),
                rate,
                first.gigabits,
                rounds,
                bothWays ? together(rounds.stream().map(BandwidthResult::local).toList()) : null,
                bothWays ? together(rounds.stream().map(BandwidthResult::remote).toList()) : null);
    }

    /** The name of the unit of peak and average. */
    public static String unit(boolean gigabits) {
        return gigabits ? "Gb/sec" : "MiB/sec";
    }

    private static double bytes(boolean gigabits) {
        return gigabits ? GIGABIT_IN_BYTES : MEBIBYTE;
    }
}
