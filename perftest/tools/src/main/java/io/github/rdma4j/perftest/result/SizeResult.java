// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import io.github.rdma4j.perftest.figures.LatencyFigures;

/** The result of a run of one message size. */
public sealed interface SizeResult permits LatencyResult, TimedLatencyResult, BandwidthResult {
    /** Message size in bytes. */
    long size();

    /** Messages counted. */
    long iterations();

    /** The latency of all messages; null where none was measured. */
    default LatencyFigures latency() {
        return null;
    }

    /** The pace of an open loop; null for a closed one. */
    default Pace pace() {
        return null;
    }
}
