// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;

/**
 * A flag for the creation of a queue pair ({@code enum ibv_qp_create_flags}); see
 * {@link QueuePairConfig#creationFlags}.
 *
 * @since 0.1.0
 */
public enum QueuePairCreationFlag {
    /** Multicast datagrams that the queue pair sends do not come back to it. */
    BLOCK_MULTICAST_LOOPBACK(RdmaHeaders.IBV_QP_CREATE_BLOCK_SELF_MCAST_LB()),
    /** The frame check sequence of received frames is put into memory; for raw packets. */
    SCATTER_FCS(RdmaHeaders.IBV_QP_CREATE_SCATTER_FCS()),
    /** The customer VLAN tag is removed from received frames; for raw packets. */
    VLAN_STRIPPING(RdmaHeaders.IBV_QP_CREATE_CVLAN_STRIPPING()),
    /** Received data is padded to whole cache lines when it is written to memory. */
    PCI_WRITE_END_PADDING(RdmaHeaders.IBV_QP_CREATE_PCI_WRITE_END_PADDING());

    private final int bit;

    QueuePairCreationFlag(int bit) {
        this.bit = bit;
    }

    int bit() {
        return bit;
    }
}
