// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

/**
 * The transport of a device ({@code enum ibv_transport_type}).
 *
 * @since 0.1.0
 */
public enum TransportType {
    /** A value that this library has no name for. */
    UNKNOWN(-1),
    /** InfiniBand transport: InfiniBand and RoCE. */
    INFINIBAND(0),
    /** iWARP. */
    IWARP(1),
    /** Cisco usNIC. */
    USNIC(2),
    /** Cisco usNIC over UDP. */
    USNIC_UDP(3),
    /** A transport without a standard name (EFA, ...). */
    UNSPECIFIED(4);

    private final int code;

    TransportType(int code) {
        this.code = code;
    }

    /**
     * Returns the transport of a number.
     *
     * @param code the value of {@code enum ibv_transport_type}
     * @return the transport; {@link #UNKNOWN} for an unknown number
     */
    public static TransportType ofCode(int code) {
        for (TransportType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        return UNKNOWN;
    }
}
