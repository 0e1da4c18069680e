// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import java.util.Optional;

/**
 * An adapter as seen from a GPU.
 *
 * @param gpu the GPU
 * @param adapter the adapter
 * @param distance between the GPU and the adapter
 * @param numaDistance between their NUMA nodes as the firmware gives it: 10 within a node, more to others;
 *     {@link #UNKNOWN_NUMA_DISTANCE} if not known
 * @since 0.1.0
 */
public record AdapterPlacement(PciFunction gpu, RdmaAdapter adapter, PciDistance distance, int numaDistance) {
    /** The largest value that firmware can report, which means unreachable. */
    public static final int UNKNOWN_NUMA_DISTANCE = 255;

    /**
     * A caveat for using this pair.
     *
     * @return a sentence if transfers between the two cross a host bridge or go to another NUMA node; otherwise empty
     */
    public Optional<String> warning() {
        if (!distance.crossesHostBridge()) {
            return Optional.empty();
        }
        String pair = "GPU " + gpu.address() + " and " + adapter.name() + " are " + distance + " apart: ";
        return Optional.of(pair
                + switch (distance) {
                    case SYS ->
                        "transfers between them cross from NUMA node " + node(gpu) + " to "
                                + adapter.function().map(AdapterPlacement::node).orElse("?")
                                + ", which limits bandwidth, above all of reads, and adds latency";
                    case NODE ->
                        "transfers between them go through two host bridges of NUMA node " + node(gpu)
                                + ", which on many processors limits bandwidth, above all of reads";
                    default ->
                        "transfers between them go through the host bridge, which on many processors limits"
                                + " bandwidth, above all of reads";
                });
    }

    private static String node(PciFunction function) {
        return function.numaNode() < 0 ? "unknown" : Integer.toString(function.numaNode());
    }

    /** {@return the GPU, the adapter and the distance in one line} */
    @Override
    public String toString() {
        return "GPU " + gpu.address() + " - " + adapter.name() + ": " + distance;
    }
}
