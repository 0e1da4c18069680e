// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/** The service that a queue pair gives ({@code enum ibv_qp_type}). */
public enum QueuePairType {
    /** Reliable connection: in order, acknowledged, every operation. */
    RC(2),
    /** Unreliable connection: in order, but what is lost is lost; sends and writes. */
    UC(3),
    /** Unreliable datagram: one packet per message, to any peer; sends only. */
    UD(4),
    /** Raw packets: whole Ethernet frames; needs CAP_NET_RAW. */
    RAW_PACKET(8),
    /** The sending end of an extended reliable connection (the kernel's XRC_INI). */
    XRC_SEND(9),
    /** The receiving end of an extended reliable connection (the kernel's XRC_TGT). */
    XRC_RECV(10),
    /** What a driver adds of its own, or a type that is not known to this library. */
    DRIVER(0xff);

    private static final QueuePairType[] BY_CODE = values();

    private final int code;

    QueuePairType(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static QueuePairType ofCode(int code) {
        for (QueuePairType type : BY_CODE) {
            if (type.code == code) {
                return type;
            }
        }
        return DRIVER;
    }
}
