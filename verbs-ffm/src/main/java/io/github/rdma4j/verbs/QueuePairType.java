// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.internal.SendOpcode.*;

/**
 * The type of service of a queue pair ({@code enum ibv_qp_type}).
 *
 * @since 0.1.0
 */
public enum QueuePairType {
    /** Reliable connection: in order, acknowledged, every operation. */
    RC(2, -1, true),
    /** Unreliable connection: in order, not acknowledged; sends and writes. A lost packet loses its whole message. */
    UC(
            3,
            mask(
                    SEND,
                    SEND_WITH_IMMEDIATE,
                    RDMA_WRITE,
                    RDMA_WRITE_WITH_IMMEDIATE,
                    LOCAL_INVALIDATE,
                    BIND_MEMORY_WINDOW),
            true),
    /** Unreliable datagram: sends of one packet, each to any peer. */
    UD(4, mask(SEND, SEND_WITH_IMMEDIATE, LOCAL_INVALIDATE, SEGMENTED_SEND), false),
    /** Raw packet: Ethernet frames. Requires CAP_NET_RAW and an adapter that supports it. */
    RAW_PACKET(8, mask(SEND, SEGMENTED_SEND), false),
    /** The sending half of an extended reliable connection: it has no receive queue. */
    XRC_SEND(9, -1, true),
    /**
     * The receiving half of an extended reliable connection: it posts nothing, and takes receives from shared receive
     * queues.
     */
    XRC_RECV(10, 0, true),
    /**
     * A type that a driver adds, or that this library has no name for: it can be queried, not created.
     * {@link ProtectionDomain#createSrdQueuePair} creates the one of EFA, whose operations it has.
     */
    DRIVER(0xff, mask(SEND, SEND_WITH_IMMEDIATE, RDMA_WRITE, RDMA_WRITE_WITH_IMMEDIATE, RDMA_READ), false);

    private static final QueuePairType[] BY_CODE = values();

    private final int code;
    private final int operations;
    private final boolean connected;

    QueuePairType(int code, int operations, boolean connected) {
        this.code = code;
        this.operations = operations;
        this.connected = connected;
    }

    /** {@return the value of {@code enum ibv_qp_type}} */
    public int code() {
        return code;
    }

    /**
     * Returns the type of a number.
     *
     * @param code the value of {@code enum ibv_qp_type}
     * @return the type; {@link #DRIVER} for an unknown number
     */
    public static QueuePairType ofCode(int code) {
        for (QueuePairType type : BY_CODE) {
            if (type.code == code) {
                return type;
            }
        }
        return DRIVER;
    }

    /** {@return whether it has exactly one peer, which {@link PreparedQueuePair#connect} names} */
    public boolean isConnected() {
        return connected;
    }

    boolean allows(int opcode) {
        return (operations >>> opcode & 1) != 0;
    }
}
