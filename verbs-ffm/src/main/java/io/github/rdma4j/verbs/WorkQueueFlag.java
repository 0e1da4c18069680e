// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.Flags;

/**
 * How a work queue handles packets ({@code enum ibv_wq_flags}).
 *
 * @since 0.1.0
 */
public enum WorkQueueFlag {
    /** Removes the outer VLAN tag of packets. */
    CVLAN_STRIPPING,
    /** Delivers the frame check sequence with the packet. */
    SCATTER_FCS,
    /** Delays packets, instead of dropping them, while no receive is posted. */
    DELAY_DROP,
    /** Pads writes over PCI to full cache lines. */
    PCI_WRITE_END_PADDING;

    static int mask(Iterable<WorkQueueFlag> flags) {
        return (int) Flags.mask(flags, flag -> 1L << flag.ordinal());
    }
}
