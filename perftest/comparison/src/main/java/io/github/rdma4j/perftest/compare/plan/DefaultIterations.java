// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.options.Tool;

/**
 * The default number of messages in a run: enough for some tenths of a second to a second, on a software device or on
 * an adapter. The numbers are round, so that they are easy to type.
 */
public final class DefaultIterations {
    /** For a software device in an emulated machine, which is the slowest environment. */
    private static final double SOFTWARE_MESSAGE_MICROSECONDS = 20;

    private static final double SOFTWARE_BYTES_PER_MICROSECOND = 60;
    private static final double SOFTWARE_RUN_MICROSECONDS = 1e6;

    private static final double ADAPTER_MESSAGE_MICROSECONDS = 0.5;
    private static final double ADAPTER_BYTES_PER_MICROSECOND = 12_000;
    private static final double ADAPTER_RUN_MICROSECONDS = 4e5;

    /** A latency test takes longer than its median suggests: sometimes a CPU is taken away for milliseconds. */
    private static final double LATENCY_SHARE = 0.1;

    private static final int LEAST = 100;
    private static final int MOST = 1_000_000;

    private DefaultIterations() {}

    /**
     * Returns the number.
     *
     * @param tool the tool
     * @param size message size in bytes
     * @param software whether it is a software device
     */
    public static int of(Tool tool, long size, boolean software) {
        double message = software
                ? SOFTWARE_MESSAGE_MICROSECONDS + size / SOFTWARE_BYTES_PER_MICROSECOND
                : ADAPTER_MESSAGE_MICROSECONDS + size / ADAPTER_BYTES_PER_MICROSECOND;
        double run = software ? SOFTWARE_RUN_MICROSECONDS : ADAPTER_RUN_MICROSECONDS;
        double count = run / message * (tool.isLatency() ? LATENCY_SHARE : 1);
        return (int) Math.clamp(round(count), LEAST, MOST);
    }

    /** Rounds to the next lower 1, 2 or 5 times a power of ten, or to the next higher one if it is nearer. */
    private static double round(double count) {
        double power = Math.pow(10, Math.floor(Math.log10(count)));
        double digit = count / power;
        return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
    }
}
