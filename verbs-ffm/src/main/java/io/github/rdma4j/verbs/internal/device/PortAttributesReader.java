// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.device;

import io.github.rdma4j.verbs.bindings.ibv_port_attr;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.LinkSpeed;
import io.github.rdma4j.verbs.device.LinkWidth;
import io.github.rdma4j.verbs.device.Mtu;
import io.github.rdma4j.verbs.device.PhysicalPortState;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.device.PortCapability;
import io.github.rdma4j.verbs.device.PortState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Converts the structure of ibv_query_port(3) to the attributes of a port. */
public final class PortAttributesReader {
    /** rdma-core 50 has appended {@code uint32_t active_speed_ex}, which older libraries leave at 0. */
    private static final long ACTIVE_SPEED_EX = 52;

    /** The structure's size with that field. */
    public static final long NATIVE_SIZE = ACTIVE_SPEED_EX + Integer.BYTES;

    private static final int GRH_REQUIRED = 1;

    private PortAttributesReader() {}

    /**
     * Reads {@code struct ibv_port_attr}.
     *
     * @param attributes as the driver has filled it, {@link #NATIVE_SIZE} bytes
     * @return the same in Java
     */
    public static PortAttributes read(MemorySegment attributes) {
        return new PortAttributes(
                PortState.ofCode(ibv_port_attr.state(attributes)),
                Mtu.ofQuery(ibv_port_attr.max_mtu(attributes)),
                Mtu.ofQuery(ibv_port_attr.active_mtu(attributes)),
                ibv_port_attr.gid_tbl_len(attributes),
                PortCapability.ofMasks(
                        ibv_port_attr.port_cap_flags(attributes),
                        Short.toUnsignedInt(ibv_port_attr.port_cap_flags2(attributes))),
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
                Byte.toUnsignedInt(ibv_port_attr.init_type_reply(attributes)),
                LinkWidth.ofCode(Byte.toUnsignedInt(ibv_port_attr.active_width(attributes))),
                LinkSpeed.ofCode(speedCode(attributes)),
                PhysicalPortState.ofCode(Byte.toUnsignedInt(ibv_port_attr.phys_state(attributes))),
                LinkLayer.ofCode(Byte.toUnsignedInt(ibv_port_attr.link_layer(attributes))),
                (ibv_port_attr.flags(attributes) & GRH_REQUIRED) != 0);
    }

    /** The old field has eight bits, which end with NDR. */
    private static int speedCode(MemorySegment attributes) {
        int extended = attributes.get(ValueLayout.JAVA_INT, ACTIVE_SPEED_EX);
        return extended != 0 ? extended : Byte.toUnsignedInt(ibv_port_attr.active_speed(attributes));
    }
}
