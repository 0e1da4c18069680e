// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/** How packets of a GID travel ({@code enum ibv_gid_type}). */
public enum GidType {
    /** InfiniBand. */
    INFINIBAND,
    /** RoCE v1: Ethernet frames, not routable. */
    ROCE_V1,
    /** RoCE v2: UDP over IPv4 or IPv6, routable. */
    ROCE_V2,
    /** Not known to this library. */
    UNKNOWN;

    static GidType ofCode(int code) {
        return code >= 0 && code < UNKNOWN.ordinal() ? values()[code] : UNKNOWN;
    }
}
