// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_port_attr;
import java.lang.foreign.MemorySegment;

/**
 * A port and its state ({@code struct ibv_port_attr}, ibv_query_port(3)), as they were when asked.
 *
 * @param state the logical state; only an active port carries data
 * @param maxMtu the largest MTU that the port can have
 * @param activeMtu the MTU in force; {@link Mtu#UNKNOWN} if the port has no link
 * @param gidTableLength the number of GID table entries, empty ones included
 * @param capabilityFlags {@code enum ibv_port_cap_flags}
 * @param maxMessageSize the longest message, in bytes
 * @param badPartitionKeyCount packets refused for their partition key
 * @param queueKeyViolationCount packets refused for their queue key
 * @param partitionTableLength the number of partition table entries
 * @param lid the port's LID, 0 on Ethernet
 * @param subnetManagerLid the subnet manager's LID
 * @param lidMaskControl how many low bits of the LID are free
 * @param maxVirtualLanes the code of the number of virtual lanes
 * @param subnetManagerServiceLevel the service level to reach the subnet manager
 * @param subnetTimeout the subnet's longest delay, 4.096 microseconds times two to this power
 * @param activeWidth the link's width code: 1 = 1x, 2 = 4x, 4 = 8x, 8 = 12x, 16 = 2x
 * @param activeSpeed the lanes' speed code: 1 = SDR, 2 = DDR, 4 = QDR, 8 = FDR10, 16 = FDR, 32 = EDR, 64 = HDR, 128 = NDR
 * @param physicalState the physical state's code: 3 = disabled, 5 = link up
 * @param linkLayer what the port speaks
 */
public record PortAttributes(
        PortState state,
        Mtu maxMtu,
        Mtu activeMtu,
        int gidTableLength,
        int capabilityFlags,
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
        int activeWidth,
        int activeSpeed,
        int physicalState,
        LinkLayer linkLayer) {

    static PortAttributes read(MemorySegment attributes) {
        return new PortAttributes(
                PortState.ofCode(ibv_port_attr.state(attributes)),
                Mtu.ofQuery(ibv_port_attr.max_mtu(attributes)),
                Mtu.ofQuery(ibv_port_attr.active_mtu(attributes)),
                ibv_port_attr.gid_tbl_len(attributes),
                ibv_port_attr.port_cap_flags(attributes),
                Integer.toUnsignedLong(ibv_port_attr.max_msg_sz(attributes)),
                ibv_port_attr.bad_pkey_cntr(attributes),
                ibv_port_attr.qkey_viol_cntr(attributes),
                Short.toUnsignedInt(ibv_port_attr.pkey_tbl_len(attributes)),
                Short.toUnsignedInt(ibv_port_attr.lid(attributes)),
                Short.toUnsignedInt(ibv_port_attr.sm_lid(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.lmc(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.max_vl_num(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.sm_sl(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.subnet_timeout(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.active_width(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.active_speed(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.phys_state(attributes)),
                LinkLayer.ofCode(Byte.toUnsignedInt(ibv_port_attr.link_layer(attributes))));
    }
}
