// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

/**
 * How packets of a GID travel ({@code enum ibv_gid_type}).
 *
 * @since 0.1.0
 */
public enum GidType {
    /** InfiniBand. */
    INFINIBAND,
    /** RoCE v1: Ethernet frames, not routable. */
    ROCE_V1,
    /** RoCE v2: UDP over IPv4 or IPv6, routable. */
    ROCE_V2,
    /** A value that this library has no name for. */
    UNKNOWN;

    /**
     * Returns the type of a number.
     *
     * @param code the value of {@code enum ibv_gid_type}
     * @return the type; {@link #UNKNOWN} for an unknown number
     */
    public static GidType ofCode(int code) {
        return code >= 0 && code < UNKNOWN.ordinal() ? values()[code] : UNKNOWN;
    }
}
