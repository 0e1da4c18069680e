// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

/**
 * The placement that the user requests.
 *
 * @param cores CPUs to run on, the first of them for the measuring thread; null to choose
 * @param node NUMA node to run on and to allocate memory from; -1 for the device's
 * @param automatic whether to choose the device's node when neither of them is given
 */
public record PlacementRequest(CpuList cores, int node, boolean automatic) {
    /** The placement at the device's node. */
    public static final PlacementRequest AUTOMATIC = new PlacementRequest(null, -1, true);

    /** Wherever the kernel likes. */
    public static final PlacementRequest NONE = new PlacementRequest(null, -1, false);
}
