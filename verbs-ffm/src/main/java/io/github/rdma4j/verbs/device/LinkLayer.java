// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

/**
 * The link layer of a port ({@code IBV_LINK_LAYER_*}).
 *
 * @since 0.1.0
 */
public enum LinkLayer {
    /** The driver does not report it; InfiniBand by convention. */
    UNSPECIFIED,
    /** InfiniBand: addressed by LID. */
    INFINIBAND,
    /** Ethernet (RoCE, iWARP): addressed by GID. */
    ETHERNET;

    /**
     * Returns the link layer of a number.
     *
     * @param code the value of {@code link_layer}
     * @return the link layer; {@link #UNSPECIFIED} for an unknown number
     */
    public static LinkLayer ofCode(int code) {
        return code >= 0 && code < values().length ? values()[code] : UNSPECIFIED;
    }
}
