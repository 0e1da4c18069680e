// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.QueuePairType;

/**
 * Which service an address and port stand for ({@code enum rdma_port_space}): the same port may be in use in each of
 * them.
 *
 * @since 0.1.0
 */
public enum PortSpace {
    /** Connections of reliable queue pairs ({@code RDMA_PS_TCP}); no TCP is spoken. */
    TCP(0x0106, false, 56, 196, 148),
    /** Datagrams: the service looks the peer's queue pair up ({@code RDMA_PS_UDP}); no UDP socket is opened. */
    UDP(0x0111, true, 180, 136, 136),
    /** Datagrams over IP-over-InfiniBand interfaces ({@code RDMA_PS_IPOIB}): multicast groups shared with them. */
    IPOIB(0x0002, true, 180, 136, 136),
    /**
     * Any InfiniBand service ({@code RDMA_PS_IB}): as {@link #TCP} to InfiniBand addresses, which rdma4j does not make.
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
        // Not in a field: bindings behind the type need native access, whose lack create(…) is to report in words.
        return datagram ? QueuePairType.UD : QueuePairType.RC;
    }

    /** {@return the most private data that a connect can carry, in bytes; on iWARP it may be less} */
    public int maxConnectData() {
        return maxConnectData;
    }

    /** {@return the most private data that an accept can carry, in bytes; on iWARP it may be less} */
    public int maxAcceptData() {
        return maxAcceptData;
    }

    /** {@return the most private data that a reject can carry, in bytes; on iWARP it may be less} */
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
