// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * Memory of a peer: what a write or a read names. A plain value that can travel in any message;
 * {@link MemoryRegion#remoteMemory()} makes it on the side that owns the memory.
 *
 * @param address the first byte, as an address of the owner
 * @param length the number of bytes, not negative
 * @param remoteKey the owner's remote key ({@code rkey})
 */
public record RemoteMemory(long address, long length, int remoteKey) {
    /** Checks the length. */
    public RemoteMemory {
        if (length < 0) {
            throw new IllegalArgumentException("length " + length + " is negative");
        }
    }

    /**
     * A part of this memory.
     *
     * @param offset from the start of this memory, in bytes
     * @param size in bytes
     * @return the part
     * @throws IndexOutOfBoundsException if the part does not lie within this memory
     */
    public RemoteMemory slice(long offset, long size) {
        java.util.Objects.checkFromIndexSize(offset, size, length);
        return new RemoteMemory(address + offset, size, remoteKey);
    }

    /** {@return address, length and key, in hexadecimal where verbs tools print them so} */
    @Override
    public String toString() {
        return "RemoteMemory[address=0x%x, length=%d, rkey=0x%x]".formatted(address, length, remoteKey);
    }
}
