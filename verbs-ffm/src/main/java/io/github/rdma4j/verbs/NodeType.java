// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/** What kind of node a device is ({@code enum ibv_node_type}). */
public enum NodeType {
    /** Not known to this library. */
    UNKNOWN(-1),
    /** A channel adapter: InfiniBand and RoCE. */
    CHANNEL_ADAPTER(1),
    /** A switch. */
    SWITCH(2),
    /** A router. */
    ROUTER(3),
    /** An iWARP adapter. */
    RNIC(4),
    /** Cisco usNIC. */
    USNIC(5),
    /** Cisco usNIC over UDP. */
    USNIC_UDP(6),
    /** A node without a standard name (EFA, ...). */
    UNSPECIFIED(7);

    private final int code;

    NodeType(int code) {
        this.code = code;
    }

    static NodeType ofCode(int code) {
        for (NodeType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        return UNKNOWN;
    }
}
