// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import io.github.rdma4j.perftest.figures.LatencyFigures;

/**
 * Latency of a timed run, in microseconds.
 *
 * @param size message size in bytes
 * @param iterations messages sent in the measured part
 * @param average for a closed loop, measured time divided by exchanges, and by 2 if a latency is half a round trip, as
 *     in the C tools; for an open loop, the mean of the latencies
 * @param transactionsPerSecond exchanges per second
 * @param latency of all messages of the measured part
 * @param pace of an open loop; null for a closed one
 */
public record TimedLatencyResult(
        long size, long iterations, double average, double transactionsPerSecond, LatencyFigures latency, Pace pace)
        implements SizeResult {}
