// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

/**
 * The type of node of a device ({@code enum ibv_node_type}).
 *
 * @since 0.1.0
 */
public enum NodeType {
    /** A value that this library has no name for. */
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

    /** {@return the text of libibverbs' ibv_node_type_str(3)} */
    public String description() {
        return description;
    }

    /**
     * Returns the type of a number.
     *
     * @param code the value of {@code enum ibv_node_type}
     * @return the type; {@link #UNKNOWN} for an unknown number
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
