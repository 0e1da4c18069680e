// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.Gid;
import java.util.Objects;

/**
 * The global route of a packet ({@code struct ibv_global_route}): the fields of its GRH or, on RoCE, of its IP header.
 *
 * @param destinationGid the peer's GID, or a multicast group's
 * @param flowLabel 20 bits, which identify a flow to routers; on RoCE v2 the UDP source port is derived from it, see
 *     {@link #udpSourcePort()}
 * @param sourceGidIndex the index of this side's GID, 0 to 255
 * @param hopLimit 0 to 255
 * @param trafficClass 0 to 255; on RoCE v2 the IP header's DSCP and ECN bits
 * @since 0.1.0
 */
public record GlobalRoute(Gid destinationGid, int flowLabel, int sourceGidIndex, int hopLimit, int trafficClass) {
    private static final int FLOW_LABEL_BITS = 20;
    private static final int LOW_FLOW_LABEL = 0x03fff;
    private static final int FIRST_ROCE_PORT = 0xc000;

    /** Checks the ranges. */
    public GlobalRoute {
        Objects.requireNonNull(destinationGid, "destination GID");
        if (flowLabel < 0 || flowLabel >>> FLOW_LABEL_BITS != 0) {
            throw new IllegalArgumentException("flow label 0x%x has more than 20 bits".formatted(flowLabel));
        }
        requireByte("source GID index", sourceGidIndex);
        requireByte("hop limit", hopLimit);
        requireByte("traffic class", trafficClass);
    }

    static void requireByte(String name, int value) {
        if (value < 0 || value > 255) {
            throw new IllegalArgumentException("%s %d is not in 0..255".formatted(name, value));
        }
    }

    /** {@return the UDP source port of RoCE v2 packets of this route, 0xc000 to 0xffff} */
    public int udpSourcePort() {
        return udpSourcePort(flowLabel);
    }

    /**
     * Returns the UDP source port of RoCE v2 packets with a flow label ({@code ibv_flow_label_to_udp_sport}). Networks
     * distribute packets over their links by this port.
     *
     * @param flowLabel 20 bits; higher ones are ignored
     * @return 0xc000 to 0xffff
     */
    public static int udpSourcePort(int flowLabel) {
        int high = (flowLabel >>> 14) & 0x3f;
        return ((flowLabel & LOW_FLOW_LABEL) ^ high) | FIRST_ROCE_PORT;
    }
}
