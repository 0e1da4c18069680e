// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import java.util.Set;

/**
 * A port and its state ({@code struct ibv_port_attr}, ibv_query_port(3)), as of the query.
 *
 * @param state the logical state; only an active port carries data
 * @param maxMtu the largest MTU that the port can have
 * @param activeMtu the MTU in force; {@link Mtu#UNKNOWN} if the port has no link
 * @param gidTableLength the number of GID table entries, empty ones included
 * @param capabilities the capabilities of the port
 * @param maxMessageSize the longest message, in bytes
 * @param badPartitionKeyCount packets refused for their partition key
 * @param queueKeyViolationCount packets refused for their queue key
 * @param partitionTableLength the number of partition table entries
 * @param lid the port's LID, 0 on Ethernet
 * @param subnetManagerLid the subnet manager's LID
 * @param lidMaskControl the number of free low bits of the LID
 * @param maxVirtualLanes the code of the number of virtual lanes
 * @param subnetManagerServiceLevel the service level to reach the subnet manager
 * @param subnetTimeout the subnet's longest delay, 4.096 microseconds times two to this power
 * @param initializationTypeReply the kind of initialization that the subnet manager has made
 * @param activeWidth the number of lanes of the link
 * @param activeSpeed the speed of one lane
 * @param physicalState the physical link's state
 * @param linkLayer the link layer
 * @param globalRouteRequired whether every address handle needs a global route header ({@code IBV_QPF_GRH_REQUIRED})
 * @since 0.1.0
 */
public record PortAttributes(
        PortState state,
        Mtu maxMtu,
        Mtu activeMtu,
        int gidTableLength,
        Set<PortCapability> capabilities,
        long maxMessageSize,
        int badPartitionKeyCount,
        int queueKeyViolationCount,
        int partitionTableLength,
        int lid,
        int subnetManagerLid,
        int lidMaskControl,
        int maxVirtualLanes,
        int subnetManagerServiceLevel,
        int subnetTimeout,
        int initializationTypeReply,
        LinkWidth activeWidth,
        LinkSpeed activeSpeed,
        PhysicalPortState physicalState,
        LinkLayer linkLayer,
        boolean globalRouteRequired) {

    private static final int[] VIRTUAL_LANES = {0, 1, 2, 4, 8, 15};

    /**
     * Returns the link's nominal rate, which is the number of lanes times the rate of one lane, as in
     * {@code /sys/class/infiniband/NAME/ports/N/rate}.
     *
     * @return in Gbit/s; 0 if the port does not report it
     */
    public double rateGigabitsPerSecond() {
        return activeWidth.lanes() * activeSpeed.gigabitsPerSecond();
    }

    /**
     * {@return the number of virtual lanes that the code {@link #maxVirtualLanes()} means: 1, 2, 4, 8 or 15; 0 if
     * unknown}
     */
    public int virtualLaneCount() {
        return maxVirtualLanes < VIRTUAL_LANES.length ? VIRTUAL_LANES[maxVirtualLanes] : 0;
    }
}
