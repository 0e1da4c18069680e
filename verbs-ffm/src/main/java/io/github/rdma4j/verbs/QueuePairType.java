// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.internal.SendOpcode.*;

/**
 * The service that a queue pair gives ({@code enum ibv_qp_type}).
 *
 * @since 0.1.0
 */
public enum QueuePairType {
    /** Reliable connection: in order, acknowledged, every operation. */
    RC(2, -1, true),
    /**
     * Unreliable connection: in order, not acknowledged; sends and writes. What is lost is lost with its whole message.
     */
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
    /** Unreliable datagram: sends of one packet to any peer, each with its own peer. */
    UD(4, mask(SEND, SEND_WITH_IMMEDIATE, LOCAL_INVALIDATE, SEGMENTED_SEND), false),
    /** Raw packet: Ethernet frames; needs CAP_NET_RAW and an adapter that can do it. */
    RAW_PACKET(8, mask(SEND, SEGMENTED_SEND), false),
    /** The sending half of an extended reliable connection: it has no receive queue. */
    XRC_SEND(9, -1, true),
    /**
     * The receiving half of an extended reliable connection: it posts nothing, its receives are in shared receive
     * queues.
     */
    XRC_RECV(10, 0, true),
    /** What a driver adds of its own, or a type that is not known to this library: it can be queried, not created. */
    DRIVER(0xff, 0, false);

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
     * The type of that number.
     *
     * @param code the value of {@code enum ibv_qp_type}
     * @return the type; {@link #DRIVER} for a number that this library does not know
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
