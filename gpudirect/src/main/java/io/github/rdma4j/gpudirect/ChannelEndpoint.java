// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.RemoteMemory;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The data that a peer needs to connect to a channel: a plain value that you can send by any means.
 *
 * @param queuePair the endpoint of the queue pair
 * @param mailbox the words in which the peer announces messages and receives
 * @param chunkSize the bytes of a chunk; a connection uses the smaller size of the two sides
 * @param slots the number of chunks that this side can stage at once
 * @param readsServed the number of concurrent reads by the peer that this side serves
 * @since 0.1.0
 */
public record ChannelEndpoint(
        QueuePairEndpoint queuePair, RemoteMemory mailbox, int chunkSize, int slots, int readsServed) {
    /** The length of {@link #toBytes()}. */
    public static final int BYTES = QueuePairEndpoint.BYTES + RemoteMemory.BYTES + 3 * Integer.BYTES;

    /** Checks that the values are in range. */
    public ChannelEndpoint {
        Objects.requireNonNull(queuePair, "queue pair");
        Objects.requireNonNull(mailbox, "mailbox");
        if (chunkSize < 1 || slots < 1 || readsServed < 0 || mailbox.length() < Mailbox.BYTES) {
            throw new IllegalArgumentException(
                    "a channel's endpoint with chunks of %d bytes, %d slots, %d reads, a mailbox of %d bytes"
                            .formatted(chunkSize, slots, readsServed, mailbox.length()));
        }
    }

    /** {@return this value in {@value #BYTES} bytes, big-endian, for the peer's {@link #fromBytes}} */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .put(queuePair.toBytes())
                .put(mailbox.toBytes())
                .putInt(chunkSize)
                .putInt(slots)
                .putInt(readsServed)
                .array();
    }

    /**
     * Decodes the value that {@link #toBytes()} encoded.
     *
     * @param bytes exactly {@value #BYTES}
     * @return the value
     * @throws IllegalArgumentException if the number of bytes is wrong (because a connection ended early, for
     *     instance), or a value is out of range
     */
    public static ChannelEndpoint fromBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a ChannelEndpoint has " + BYTES + " bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        byte[] queuePair = new byte[QueuePairEndpoint.BYTES];
        byte[] mailbox = new byte[RemoteMemory.BYTES];
        buffer.get(queuePair).get(mailbox);
        return new ChannelEndpoint(
                QueuePairEndpoint.fromBytes(queuePair),
                RemoteMemory.fromBytes(mailbox),
                buffer.getInt(),
                buffer.getInt(),
                buffer.getInt());
    }
}
