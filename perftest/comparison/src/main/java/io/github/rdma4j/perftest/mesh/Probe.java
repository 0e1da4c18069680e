// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.options.Tool;
import java.util.EnumSet;
import java.util.Set;

/** A measurement of a pair. */
enum Probe {
    /** One-way latency of a small write; equal in both directions, because it is half a round trip. */
    LATENCY("latency", Tool.WRITE_LATENCY, Metric.TYPICAL_LATENCY, false),

    /** Bandwidth from the pair's first host to its second one. */
    BANDWIDTH("bandwidth", Tool.WRITE_BANDWIDTH, Metric.AVERAGE_BANDWIDTH, false),

    /** Bandwidth in the other direction. */
    BANDWIDTH_BACK("bandwidth", Tool.WRITE_BANDWIDTH, Metric.AVERAGE_BANDWIDTH, true),

    /** Latency between the memory of two GPUs. */
    GPU_LATENCY("GPU memory latency", Tool.WRITE_LATENCY, Metric.TYPICAL_LATENCY, false),

    /** Bandwidth from the memory of the first host's GPU to the memory of the second host's GPU. */
    GPU_BANDWIDTH("GPU memory bandwidth", Tool.WRITE_BANDWIDTH, Metric.AVERAGE_BANDWIDTH, false),

    /** Bandwidth between the two in the other direction. */
    GPU_BANDWIDTH_BACK("GPU memory bandwidth", Tool.WRITE_BANDWIDTH, Metric.AVERAGE_BANDWIDTH, true);

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

    /** Returns the probe of the other direction; latency has none of its own. */
    Probe reverse() {
        return switch (this) {
            case LATENCY, GPU_LATENCY -> this;
            case BANDWIDTH -> BANDWIDTH_BACK;
            case BANDWIDTH_BACK -> BANDWIDTH;
            case GPU_BANDWIDTH -> GPU_BANDWIDTH_BACK;
            case GPU_BANDWIDTH_BACK -> GPU_BANDWIDTH;
        };
    }

    /** Returns this probe and its reverse. */
    Set<Probe> directions() {
        return EnumSet.of(this, reverse());
    }

    /** Returns whether the buffers of both hosts are in GPU memory. */
    boolean isGpu() {
        return switch (this) {
            case LATENCY, BANDWIDTH, BANDWIDTH_BACK -> false;
            case GPU_LATENCY, GPU_BANDWIDTH, GPU_BANDWIDTH_BACK -> true;
        };
    }

    /** Returns whether the pair's second host is the client. */
    boolean isBack() {
        return back;
    }
}
