// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.Mtu;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The data that a peer needs to connect to a queue pair. It is a plain value; send it by any means.
 *
 * @param queuePairNumber 24 bits
 * @param packetSequenceNumber the first number that this side sends, 24 bits
 * @param lid the port's LID, 0 on Ethernet
 * @param gid the GID that this side uses; {@link Gid#ZERO} on InfiniBand without a global route
 * @param mtu the active MTU of this side's port; a connection uses the smaller of both
 * @since 0.1.0
 */
public record QueuePairEndpoint(int queuePairNumber, int packetSequenceNumber, int lid, Gid gid, Mtu mtu) {
    /** The number of bytes of {@link #toBytes()}. */
    public static final int BYTES = 4 * Integer.BYTES + Gid.LENGTH;

    /** Checks the ranges. */
    public QueuePairEndpoint {
        requireBits("queue pair number", queuePairNumber, 24);
        requireBits("packet sequence number", packetSequenceNumber, 24);
        requireBits("LID", lid, 16);
        Objects.requireNonNull(gid, "gid");
        Objects.requireNonNull(mtu, "mtu");
        if (mtu == Mtu.UNKNOWN) {
            throw new IllegalArgumentException("the MTU is unknown");
        }
    }

    /**
     * Encodes this value in {@value #BYTES} bytes, for the peer's {@link #fromBytes}.
     *
     * @return queue pair number, packet sequence number, LID and MTU code, four bytes each and big-endian, then the GID
     */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putInt(queuePairNumber)
                .putInt(packetSequenceNumber)
                .putInt(lid)
                .putInt(mtu.code())
                .put(gid.bytes())
                .array();
    }

    /**
     * Decodes the bytes of {@link #toBytes()}.
     *
     * @param bytes exactly {@value #BYTES}
     * @return the value
     * @throws IllegalArgumentException if the number of bytes is wrong, for instance because a connection ended early,
     *     or the bytes are invalid
     */
    public static QueuePairEndpoint fromBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a QueuePairEndpoint has " + BYTES + " bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int queuePairNumber = buffer.getInt();
        int packetSequenceNumber = buffer.getInt();
        int lid = buffer.getInt();
        Mtu mtu = Mtu.ofCode(buffer.getInt());
        byte[] gid = new byte[Gid.LENGTH];
        buffer.get(gid);
        return new QueuePairEndpoint(queuePairNumber, packetSequenceNumber, lid, Gid.of(gid), mtu);
    }

    private static void requireBits(String name, int value, int bits) {
        if (value < 0 || value >>> bits != 0) {
            throw new IllegalArgumentException("%s 0x%x has more than %d bits".formatted(name, value, bits));
        }
    }
}
