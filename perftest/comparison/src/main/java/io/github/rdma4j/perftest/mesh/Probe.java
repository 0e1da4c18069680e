// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.options.Tool;

/** A measurement of a pair. */
enum Probe {
    /** One-way latency of a small write; equal in both directions, because it is half a round trip. */
    LATENCY("latency", Tool.WRITE_LATENCY, Metric.TYPICAL_LATENCY, false),

    /** Bandwidth from the pair's first host to its second one. */
    BANDWIDTH("bandwidth", Tool.WRITE_BANDWIDTH, Metric.AVERAGE_BANDWIDTH, false),

    /** Bandwidth in the other direction. */
    BANDWIDTH_BACK("bandwidth", Tool.WRITE_BANDWIDTH, Metric.AVERAGE_BANDWIDTH, true);

    private final String key;
    private final Tool tool;
    private final Metric metric;
    private final boolean back;

    Probe(String key, Tool tool, Metric metric, boolean back) {
        this.key = key;
        this.tool = tool;
        this.metric = metric;
        this.back = back;
    }

    /** Returns the measured quantity, in words. */
    String key() {
        return key;
    }

    Tool tool() {
        return tool;
    }

    Metric metric() {
        return metric;
    }

    /** Returns whether the pair's second host is the client. */
    boolean isBack() {
        return back;
    }
}
