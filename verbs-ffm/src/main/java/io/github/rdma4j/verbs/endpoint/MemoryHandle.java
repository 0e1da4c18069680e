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
 * Memory that an endpoint has exposed, as its peers name it: where it is, and what they may do there. A plain value
 * that travels as bytes in any message; see {@link Endpoint#expose}.
 *
 * <p>The rights are what the owner says, so that a mistake is an exception at the peer. What a peer can really do, the
 * owner's adapter decides: a forged handle gains nothing, but the transfer fails and the connection with it.
 *
 * @param memory address, length and key
 * @param rights of {@link AccessFlag#REMOTE_READ}, {@link AccessFlag#REMOTE_WRITE} and {@link AccessFlag#REMOTE_ATOMIC}
 * @since 0.1.0
 */
public record MemoryHandle(RemoteMemory memory, Set<AccessFlag> rights) {
    /** The number of bytes that {@link #toBytes()} gives. */
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
     * A part of this memory.
     *
     * @param offset from the start of this memory, in bytes
     * @param size in bytes
     * @return the part, with the same rights
     * @throws IndexOutOfBoundsException if the part does not lie within this memory
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
     * The value that {@link #toBytes()} gave.
     *
     * @param bytes exactly {@value #BYTES}
     * @return the value
     * @throws IllegalArgumentException if it is another number of bytes, or they cannot be such a value
     */
    public static MemoryHandle fromBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a MemoryHandle has " + BYTES + " bytes, not " + bytes.length);
        }
        if (bytes[0] >>> RIGHTS.size() != 0) {
            throw new IllegalArgumentException("the rights 0x%02x are not those of a MemoryHandle".formatted(bytes[0]));
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
