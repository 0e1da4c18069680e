// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import io.github.rdma4j.verbs.internal.Flags;
import java.util.Set;

/**
 * A capability of a device ({@code enum ibv_device_cap_flags} and the flags of {@code device_cap_flags_ex} above bit
 * 31).
 *
 * @since 0.1.0
 */
public enum DeviceCapability {
    /** Queues can be made longer after their creation. */
    RESIZE_MAX_WR(0),
    /** Ports count packets with a wrong partition key. */
    BAD_PKEY_CNTR(1),
    /** Ports count packets with a wrong queue key. */
    BAD_QKEY_CNTR(2),
    /** Raw packet multicast. */
    RAW_MULTI(3),
    /** Automatic path migration. */
    AUTO_PATH_MIG(4),
    /** A queue pair can move to another port. */
    CHANGE_PHY_PORT(5),
    /** The port of an address handle is checked against the queue pair's. */
    UD_AV_PORT_ENFORCE(6),
    /** The current state can be given when a queue pair is modified. */
    CURR_QP_STATE_MOD(7),
    /** Ports can be shut down. */
    SHUTDOWN_PORT(8),
    /** The subnet manager's kind of initialization can be set. */
    INIT_TYPE(9),
    /** There are port active events. */
    PORT_ACTIVE_EVENT(10),
    /** The system image GUID is meaningful. */
    SYS_IMAGE_GUID(11),
    /** RC queue pairs respond that the receiver is not ready. */
    RC_RNR_NAK_GEN(12),
    /** Shared receive queues can be resized. */
    SRQ_RESIZE(13),
    /** A notification after a number of completions. */
    N_NOTIFY_CQ(14),
    /** Memory windows. */
    MEM_WINDOW(17),
    /** Checksum offload on UD queue pairs. */
    UD_IP_CSUM(18),
    /** Extended reliable connections. */
    XRC(20),
    /** Fast registration, send with invalidate, and their relatives. */
    MEM_MGT_EXTENSIONS(21),
    /** Memory windows of type 2A. */
    MEM_WINDOW_TYPE_2A(23),
    /** Memory windows of type 2B. */
    MEM_WINDOW_TYPE_2B(24),
    /** Checksum offload on RC queue pairs. */
    RC_IP_CSUM(25),
    /** Checksum offload on raw packet queue pairs. */
    RAW_IP_CSUM(26),
    /** Flow rules. */
    MANAGED_FLOW_STEERING(29),
    /** Raw packet queue pairs can deliver the frame check sequence. */
    RAW_SCATTER_FCS(34),
    /** Writes over PCI can be padded to full cache lines. */
    PCI_WRITE_END_PADDING(36),
    /** The device runs in a confidential guest, and only uses bounce buffers. */
    CC_DMA_BOUNCE(41);

    private final int bit;

    DeviceCapability(int bit) {
        this.bit = bit;
    }

    /**
     * Returns the capabilities of a mask.
     *
     * @param mask {@code device_cap_flags}, or {@code device_cap_flags_ex}
     * @return the flags that this library has names for
     */
    public static Set<DeviceCapability> ofMask(long mask) {
        return Flags.of(DeviceCapability.class, capability -> 1L << capability.bit, mask);
    }
}
