// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import io.github.rdma4j.verbs.internal.Flags;
import java.util.Set;

/**
 * A capability of a port ({@code enum ibv_port_cap_flags} and {@code enum ibv_port_cap_flags2}).
 *
 * @since 0.1.0
 */
public enum PortCapability {
    /** A subnet manager runs here. */
    SM(1),
    /** Notices. */
    NOTICE_SUP(2),
    /** Traps. */
    TRAP_SUP(3),
    /** Inter-packet delays of any length. */
    OPT_IPD_SUP(4),
    /** Automatic path migration. */
    AUTO_MIGR_SUP(5),
    /** A table of service levels to virtual lanes. */
    SL_MAP_SUP(6),
    /** The management key is kept across a restart. */
    MKEY_NVRAM(7),
    /** Partition keys are kept across a restart. */
    PKEY_NVRAM(8),
    /** The state of its LED can be queried. */
    LED_INFO_SUP(9),
    /** The system image GUID is meaningful. */
    SYS_IMAGE_GUID_SUP(11),
    /** Traps of external switch ports for wrong partition keys. */
    PKEY_SW_EXT_PORT_TRAP_SUP(12),
    /** Speeds above QDR. */
    EXTENDED_SPEEDS_SUP(14),
    /** The second set of capabilities is meaningful. */
    CAP_MASK2_SUP(15),
    /** A communication manager responds. */
    CM_SUP(16),
    /** SNMP tunnelling. */
    SNMP_TUNNEL_SUP(17),
    /** Reinitialization without loss of state. */
    REINIT_SUP(18),
    /** Device management. */
    DEVICE_MGMT_SUP(19),
    /** Vendor classes. */
    VENDOR_CLASS_SUP(20),
    /** Notices by directed routes. */
    DR_NOTICE_SUP(21),
    /** Notices of changed capabilities. */
    CAP_MASK_NOTICE_SUP(22),
    /** Boot management. */
    BOOT_MGMT_SUP(23),
    /** The link's round trip can be measured. */
    LINK_LATENCY_SUP(24),
    /** Clients can be asked to register again. */
    CLIENT_REG_SUP(25),
    /** GIDs are derived from IP addresses (RoCE). */
    IP_BASED_GIDS(26),
    /** The node's description can be set. */
    SET_NODE_DESC_SUP(32),
    /** Extended port information. */
    INFO_EXT_SUP(33),
    /** Virtual ports. */
    VIRT_SUP(34),
    /** A table of switch port states. */
    SWITCH_PORT_STATE_TABLE_SUP(35),
    /** Links of two lanes. */
    LINK_WIDTH_2X_SUP(36),
    /** HDR speed. */
    LINK_SPEED_HDR_SUP(37),
    /** NDR speed. */
    LINK_SPEED_NDR_SUP(42),
    /** XDR speed. */
    LINK_SPEED_XDR_SUP(44);

    /** The bit in the first set, or in the second set plus 32. */
    private final int bit;

    PortCapability(int bit) {
        this.bit = bit;
    }

    /**
     * Returns the capabilities of a port's two masks.
     *
     * @param flags {@code port_cap_flags}
     * @param flags2 {@code port_cap_flags2}
     * @return the flags that this library has names for
     */
    public static Set<PortCapability> ofMasks(int flags, int flags2) {
        long mask = Integer.toUnsignedLong(flags) | (long) flags2 << 32;
        return Flags.of(PortCapability.class, capability -> 1L << capability.bit, mask);
    }
}
