// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.result.SizeResult;
import java.util.List;

/** A test whose two sides are connected: what remains is to run all sizes. */
sealed interface ConnectedRun permits LatencyRun, RequestLatencyRun, BandwidthRun, SendLatencyRun, SendBandwidthRun {
    /** Runs all sizes, and follows the tool's protocol between and after them. */
    List<SizeResult> run();
}
