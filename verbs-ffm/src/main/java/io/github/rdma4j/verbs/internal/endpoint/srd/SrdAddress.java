// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.srd;

import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.device.Gid;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The address of a queue pair, and what the other side needs to know about it.
 *
 * @param number of the queue pair
 * @param member the number after each datagram to this side, which names an endpoint of those that share a queue
 *     pair; 0 for none
 * @param maxSend the most bytes that this side's adapter sends in a datagram
 * @param maxReceive the most bytes of a datagram that this side has posted receives for
 * @param probe memory that the client writes and reads before it trusts the path; a length of 0 for none
 */
public record SrdAddress(
        Gid gid, int number, int queueKey, int member, int maxSend, int maxReceive, RemoteMemory probe) {
    /** The length of an address in the handshake. */
    public static final int BYTES = Gid.LENGTH + 5 * Integer.BYTES + RemoteMemory.BYTES;

    byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .put(gid.bytes())
                .putInt(number)
                .putInt(queueKey)
                .putInt(member)
                .putInt(maxSend)
                .putInt(maxReceive)
                .put(probe.toBytes())
                .array();
    }

    /**
     * Decodes the bytes of {@link #toBytes()}.
     *
     * @throws IllegalArgumentException if no adapter has these numbers
     */
    static SrdAddress parse(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        byte[] gid = new byte[Gid.LENGTH];
        buffer.get(gid);
        SrdAddress address = new SrdAddress(
                Gid.of(gid),
                buffer.getInt(),
                buffer.getInt(),
                buffer.getInt(),
                buffer.getInt(),
                buffer.getInt(),
                RemoteMemory.fromBytes(Arrays.copyOfRange(bytes, BYTES - RemoteMemory.BYTES, BYTES)));
        if (address.number >>> 24 != 0 || address.maxSend <= 0 || address.maxReceive <= 0) {
            throw new IllegalArgumentException("no adapter has these numbers: " + address);
        }
        return address;
    }
}
