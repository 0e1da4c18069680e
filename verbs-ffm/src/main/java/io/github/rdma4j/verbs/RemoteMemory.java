// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.Keys;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Memory of a peer, named by reads and writes. It is a plain value that can be sent in any message;
 * {@link MemoryRegion#remoteMemory()} creates it on the side that owns the memory.
 *
 * @param address the first byte, as an address of the owner
 * @param length the number of bytes, not negative
 * @param remoteKey the owner's remote key ({@code rkey})
 * @since 0.1.0
 */
public record RemoteMemory(long address, long length, int remoteKey) {
    /** The number of bytes of {@link #toBytes()}. */
    public static final int BYTES = Long.BYTES + Long.BYTES + Integer.BYTES;

    /** Checks the length. */
    public RemoteMemory {
        if (length < 0) {
            throw new IllegalArgumentException("length " + length + " is negative");
        }
    }

    /**
     * Returns a part of this memory.
     *
     * @param offset from the start of this memory, in bytes
     * @param size in bytes
     * @return the part
     * @throws IndexOutOfBoundsException if the part does not lie within this memory
     */
    public RemoteMemory slice(long offset, long size) {
        Objects.checkFromIndexSize(offset, size, length);
        return new RemoteMemory(address + offset, size, remoteKey);
    }

    /**
     * {@return this value in {@value #BYTES} bytes, for the peer's {@link #fromBytes}: address, length, key, each
     * big-endian}
     */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(address)
                .putLong(length)
                .putInt(remoteKey)
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
    public static RemoteMemory fromBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a RemoteMemory has " + BYTES + " bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new RemoteMemory(buffer.getLong(), buffer.getLong(), buffer.getInt());
    }

    /** {@return address and length; the key is hidden, because anyone could use the memory with it} */
    @Override
    public String toString() {
        return "RemoteMemory[address=0x%x, length=%d, rkey=%s]".formatted(address, length, Keys.text(remoteKey));
    }
}
