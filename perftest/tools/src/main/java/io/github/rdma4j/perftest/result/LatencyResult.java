// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.figures.SampleTimes;
import java.util.List;

/**
 * Latency of a number of messages, in microseconds. All samples count: unlike in the C tools, none is cut off at the
 * upper end.
 *
 * @param size message size in bytes
 * @param iterations messages sent, over all rounds
 * @param latency all rounds together
 * @param rounds each of them, at least one
 * @param pace of an open loop; null for a closed one
 * @param times the individual times if they were requested; otherwise null
 */
public record LatencyResult(
        long size, long iterations, LatencyFigures latency, List<LatencyFigures> rounds, Pace pace, SampleTimes times)
        implements SizeResult {
    /** Copies the list. */
    public LatencyResult {
        rounds = List.copyOf(rounds);
    }

    /** A result of these rounds. */
    public static LatencyResult of(
            long size, long iterations, List<LatencyFigures> rounds, Pace pace, SampleTimes times) {
        return new LatencyResult(size, iterations, LatencyFigures.together(rounds), rounds, pace, times);
    }

    /** The shortest. */
    public double minimum() {
        return latency.minimum();
    }

    /** The longest. */
    public double maximum() {
        return latency.maximum();
    }

    /** The median. */
    public double typical() {
        return latency.median();
    }

    /** Arithmetic mean. */
    public double average() {
        return latency.mean();
    }

    /** Standard deviation (of the population). */
    public double deviation() {
        return latency.deviation();
    }

    /** 99 % are not longer. */
    public double percentile99() {
        return latency.percentile(99);
    }

    /** 99.9 % are not longer. */
    public double percentile999() {
        return latency.percentile(99.9);
    }
}
