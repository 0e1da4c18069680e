// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

/** What a run of one message size measured. */
public sealed interface SizeResult permits LatencyResult, TimedLatencyResult, BandwidthResult {
    /** Message size in bytes. */
    long size();

    /** Messages counted. */
    long iterations();
}
