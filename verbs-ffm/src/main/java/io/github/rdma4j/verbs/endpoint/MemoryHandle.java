// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.RemoteMemory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Names memory that an endpoint has exposed, for its peers: the address, the length, the key and the rights. A plain
 * value that travels as bytes in a message; see {@link Endpoint#expose}.
 *
 * <p>The rights let the peer detect mistakes before it starts a transfer. The owner's adapter enforces them: with a
 * forged handle the transfer fails, and the connection is lost.
 *
 * @param memory address, length and key
 * @param rights of {@link AccessFlag#REMOTE_READ}, {@link AccessFlag#REMOTE_WRITE} and {@link AccessFlag#REMOTE_ATOMIC}
 * @since 0.1.0
 */
public record MemoryHandle(RemoteMemory memory, Set<AccessFlag> rights) {
    /** The number of bytes that {@link #toBytes()} returns. */
    public static final int BYTES = RemoteMemory.BYTES + 1;

    /** The bit of a right is its place in this list. */
    private static final List<AccessFlag> RIGHTS =
            List.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);

    /** Checks the rights. */
    public MemoryHandle {
        Objects.requireNonNull(memory, "memory");
        requireRemote(rights);
        EnumSet<AccessFlag> copy = EnumSet.noneOf(AccessFlag.class);
        copy.addAll(rights);
        rights = Collections.unmodifiableSet(copy);
    }

    static void requireRemote(Set<AccessFlag> rights) {
        Objects.requireNonNull(rights, "rights").forEach(right -> Objects.requireNonNull(right, "right"));
        if (!RIGHTS.containsAll(rights)) {
            throw new IllegalArgumentException("the rights of a peer are of " + RIGHTS + ", and these are " + rights);
        }
    }

    /** {@return the number of bytes of the memory} */
    public long length() {
        return memory.length();
    }

    /**
     * Returns a part of this memory.
     *
     * @param offset from the start of this memory, in bytes
     * @param size in bytes
     * @return the part, with the same rights
     * @throws IndexOutOfBoundsException if the part exceeds this memory
     */
    public MemoryHandle slice(long offset, long size) {
        return new MemoryHandle(memory.slice(offset, size), rights);
    }

    /** {@return this value in {@value #BYTES} bytes, for the peer's {@link #fromBytes}} */
    public byte[] toBytes() {
        byte mask = 0;
        for (int i = 0; i < RIGHTS.size(); i++) {
            if (rights.contains(RIGHTS.get(i))) {
                mask |= (byte) (1 << i);
            }
        }
        return ByteBuffer.allocate(BYTES).put(mask).put(memory.toBytes()).array();
    }

    /**
     * Decodes what {@link #toBytes()} returned.
     *
     * @param bytes exactly {@value #BYTES}
     * @return the handle
     * @throws IllegalArgumentException if the number of bytes is different, or they are not a valid handle
     */
    public static MemoryHandle fromBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a MemoryHandle has " + BYTES + " bytes, not " + bytes.length);
        }
        if (bytes[0] >>> RIGHTS.size() != 0) {
            throw new IllegalArgumentException("the rights 0x%02x do not belong to a MemoryHandle".formatted(bytes[0]));
        }
        EnumSet<AccessFlag> rights = EnumSet.noneOf(AccessFlag.class);
        for (int i = 0; i < RIGHTS.size(); i++) {
            if ((bytes[0] >> i & 1) != 0) {
                rights.add(RIGHTS.get(i));
            }
        }
        return new MemoryHandle(RemoteMemory.fromBytes(Arrays.copyOfRange(bytes, 1, BYTES)), rights);
    }

    void require(AccessFlag right, String operation) {
        if (!rights.contains(right)) {
            throw new IllegalArgumentException(
                    "%s needs %s, and this handle grants %s: its owner must expose the memory with %s"
                            .formatted(operation, right, rights, right));
        }
    }

    /** {@return memory and rights; not the key, which is as good as a right} */
    @Override
    public String toString() {
        return "MemoryHandle[%s, %s]".formatted(memory, rights);
    }
}
