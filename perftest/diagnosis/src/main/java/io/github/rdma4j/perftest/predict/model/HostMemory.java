// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

/**
 * The memory of a NUMA node, and the path to it.
 *
 * @param channels that the node has
 * @param transfers million transfers of 8 bytes per second on a channel: 3200 for DDR4-3200
 * @param efficiency the share of that which programs reach
 * @param hops links between processors from the adapter to the memory: 0 if both are on one node
 * @param hop 10⁹ byte/s that such a link carries each way; needed only with hops
 */
public record HostMemory(int channels, double transfers, double efficiency, int hops, double hop) {
    private static final int BYTES = 8;

    /** Refuses invalid values. */
    public HostMemory {
        Ranges.within("channels", channels, 1, 128);
        Ranges.positive("transfers", transfers);
        Ranges.share("efficiency", efficiency);
        Ranges.within("hops", hops, 0, 8);
        Ranges.notNegative("hop", hop);
        if (hops > 0 && hop == 0) {
            throw new IllegalArgumentException("hop: needed with hops");
        }
    }

    /** Bytes per second, reads and writes together. */
    public double capacity() {
        return channels * transfers * 1e6 * BYTES * efficiency;
    }
}
