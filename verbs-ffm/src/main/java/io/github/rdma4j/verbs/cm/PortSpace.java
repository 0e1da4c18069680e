// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.QueuePairType;

/**
 * The service that an address and port belong to ({@code enum rdma_port_space}). The same port can be in use in each
 * port space.
 *
 * @since 0.1.0
 */
public enum PortSpace {
    /** Connections of reliable queue pairs ({@code RDMA_PS_TCP}); TCP is not used. */
    TCP(0x0106, false, 56, 196, 148),
    /** Datagrams: the service looks up the peer's queue pair ({@code RDMA_PS_UDP}); no UDP socket is opened. */
    UDP(0x0111, true, 180, 136, 136),
    /** Datagrams over IP-over-InfiniBand interfaces ({@code RDMA_PS_IPOIB}): multicast groups shared with them. */
    IPOIB(0x0002, true, 180, 136, 136),
    /**
     * Any InfiniBand service ({@code RDMA_PS_IB}): like {@link #TCP}, but with InfiniBand addresses, which rdma4j does
     * not create.
     */
    IB(0x013F, false, 92, 196, 148);

    private final int code;
    private final boolean datagram;
    private final int maxConnectData;
    private final int maxAcceptData;
    private final int maxRejectData;

    PortSpace(int code, boolean datagram, int maxConnectData, int maxAcceptData, int maxRejectData) {
        this.code = code;
        this.datagram = datagram;
        this.maxConnectData = maxConnectData;
        this.maxAcceptData = maxAcceptData;
        this.maxRejectData = maxRejectData;
    }

    /** {@return the type of queue pair that connections of this port space have} */
    public QueuePairType queuePairType() {
        // Not in a field: the type's bindings need native access, and create(…) must report a missing permission in
        // words.
        return datagram ? QueuePairType.UD : QueuePairType.RC;
    }

    /** {@return the maximum size of a connect's private data in bytes; on iWARP it may be less} */
    public int maxConnectData() {
        return maxConnectData;
    }

    /** {@return the maximum size of an accept's private data in bytes; on iWARP it may be less} */
    public int maxAcceptData() {
        return maxAcceptData;
    }

    /** {@return the maximum size of a reject's private data in bytes; on iWARP it may be less} */
    public int maxRejectData() {
        return maxRejectData;
    }

    /** {@return whether its queue pairs are datagram queue pairs, which are looked up and not connected} */
    public boolean isDatagram() {
        return datagram;
    }

    int code() {
        return code;
    }
}
