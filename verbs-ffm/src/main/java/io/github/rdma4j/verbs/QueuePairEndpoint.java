// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.Objects;

/**
 * What a peer must know to connect to a queue pair: a plain value that travels by any means.
 *
 * @param queuePairNumber 24 bits
 * @param packetSequenceNumber the first number that this side sends, 24 bits
 * @param lid the port's LID, 0 on Ethernet
 * @param gid the GID that this side uses; {@link Gid#ZERO} on InfiniBand without a global route
 * @param mtu the active MTU of this side's port; a connection uses the smaller of both
 */
public record QueuePairEndpoint(int queuePairNumber, int packetSequenceNumber, int lid, Gid gid, Mtu mtu) {
    /** Checks the ranges. */
    public QueuePairEndpoint {
        requireBits("queue pair number", queuePairNumber, 24);
        requireBits("packet sequence number", packetSequenceNumber, 24);
        requireBits("LID", lid, 16);
        Objects.requireNonNull(gid, "gid");
        Objects.requireNonNull(mtu, "mtu");
    }

    private static void requireBits(String name, int value, int bits) {
        if (value < 0 || value >>> bits != 0) {
            throw new IllegalArgumentException("%s 0x%x has more than %d bits".formatted(name, value, bits));
        }
    }
}
