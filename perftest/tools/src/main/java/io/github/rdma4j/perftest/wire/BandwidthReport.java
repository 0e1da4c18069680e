// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * The figures of one side, sent to the other after a bandwidth run.
 *
 * @param size message size in bytes
 * @param iterations messages sent
 * @param peak best rate, in the unit of the report (MiB/s or Gb/s; both sides must use the same); 0 when not measured
 * @param average average rate in the same unit
 * @param messageRate million messages per second
 */
public record BandwidthReport(long size, long iterations, double peak, double average, double messageRate) {
    /** The report of a side that only receives. */
    public static final BandwidthReport NOTHING = new BandwidthReport(0, 0, 0, 0, 0);

    /** No adapter sends more in one message. Text of a peer at another step, taken for numbers, is beyond it. */
    private static final long LONGEST_MESSAGE = 1L << 31;

    /**
     * Exchanges reports, with a separate exchange for each value, in network byte order.
     *
     * @param limit the longest wait for the peer's first value: it may still be running
     */
    public BandwidthReport exchange(ControlChannel channel, Duration limit) {
        return new BandwidthReport(
                number(channel, size, limit),
                number(channel, iterations, limit),
                real(channel, peak, limit),
                real(channel, average, limit),
                real(channel, messageRate, limit));
    }

    /**
     * Checks a report before it is used: a C tool that only receives sends uninitialized memory. The peak of a C tool
     * is a quotient of integers, and may be NaN without a peak: then it counts as not measured.
     *
     * @param channel that received it
     * @return the report
     * @throws HandshakeException when a value cannot have been measured
     */
    public BandwidthReport check(ControlChannel channel) {
        double rate = Double.isFinite(peak) ? peak : 0;
        if (size < 0
                || size > LONGEST_MESSAGE
                || iterations < 0
                || !isRate(rate)
                || !isRate(average)
                || !isRate(messageRate)) {
            throw new HandshakeException(
                    ("the peer %s reports what nobody can have measured: %d messages of %d bytes, peak %s, average %s,"
                                    + " %s Mpps")
                            .formatted(channel.peer(), iterations, size, peak, average, messageRate),
                    ControlChannel.SAME_OPTIONS);
        }
        return new BandwidthReport(size, iterations, rate, average, messageRate);
    }

    private static boolean isRate(double value) {
        return value >= 0 && value < Double.POSITIVE_INFINITY;
    }

    private static long number(ControlChannel channel, long mine, Duration limit) {
        byte[] message = ByteBuffer.allocate(Long.BYTES).putLong(mine).array();
        return ByteBuffer.wrap(channel.exchange(message, "report", limit)).getLong();
    }

    private static double real(ControlChannel channel, double mine, Duration limit) {
        return Double.longBitsToDouble(number(channel, Double.doubleToRawLongBits(mine), limit));
    }
}
