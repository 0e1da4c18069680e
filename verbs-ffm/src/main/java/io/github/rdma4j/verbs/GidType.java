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
    ROCE_V2;

    static GidType ofCode(int code) {
        if (code < 0 || code >= values().length) {
            throw new IllegalArgumentException("GID type " + code + " is not known");
        }
        return values()[code];
    }
}
