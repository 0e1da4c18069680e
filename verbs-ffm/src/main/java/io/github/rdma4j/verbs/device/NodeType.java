// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

/**
 * What kind of node a device is ({@code enum ibv_node_type}).
 *
 * @since 0.1.0
 */
public enum NodeType {
    /** Not known to this library. */
    UNKNOWN(-1, "unknown"),
    /** A channel adapter: InfiniBand and RoCE. */
    CHANNEL_ADAPTER(1, "InfiniBand channel adapter"),
    /** A switch. */
    SWITCH(2, "InfiniBand switch"),
    /** A router. */
    ROUTER(3, "InfiniBand router"),
    /** An iWARP adapter. */
    RNIC(4, "iWARP NIC"),
    /** Cisco usNIC. */
    USNIC(5, "usNIC"),
    /** Cisco usNIC over UDP. */
    USNIC_UDP(6, "usNIC UDP"),
    /** A node without a standard name (EFA, ...). */
    UNSPECIFIED(7, "unspecified");

    private final int code;
    private final String description;

    NodeType(int code, String description) {
        this.code = code;
        this.description = description;
    }

    /** {@return libibverbs's words for it, those of ibv_node_type_str(3)} */
    public String description() {
        return description;
    }

    /**
     * The type of that number.
     *
     * @param code the value of {@code enum ibv_node_type}
     * @return the type; {@link #UNKNOWN} for a number that this library does not know
     */
    public static NodeType ofCode(int code) {
        for (NodeType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        return UNKNOWN;
    }
}
