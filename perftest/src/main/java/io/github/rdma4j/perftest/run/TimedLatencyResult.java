// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

/**
 * Latency of a timed run.
 *
 * @param size message size in bytes
 * @param iterations messages sent in the measured part
 * @param average half a round trip in microseconds
 * @param transactionsPerSecond round trips per second
 */
public record TimedLatencyResult(long size, long iterations, double average, double transactionsPerSecond)
        implements SizeResult {
    static TimedLatencyResult of(long size, long iterations, long nanoseconds) {
        return new TimedLatencyResult(
                size, iterations, nanoseconds / (2000.0 * iterations), iterations * 1e9 / nanoseconds);
    }
}
