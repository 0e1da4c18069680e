// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.internal.NativeMemory.putByte;
import static io.github.rdma4j.verbs.internal.NativeMemory.putInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.github.rdma4j.verbs.internal.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Buffers for the inline data of some requests of one queue pair. Inline data is copied here first. The adapter's
 * library then copies it from here in user space; copying directly from memory whose arena was closed would crash the
 * JVM, while the JDK's copy checks that.
 */
final class InlineData {
    /** The maximum size of a short copy in bytes: two words. */
    private static final int SHORT = 2 * Long.BYTES;

    private final MemorySegment memory;
    private final int maxInlineData;
    /** A view of the memory; null until a buffer is copied. */
    private ByteBuffer view;

    /**
     * Allocates.
     *
     * @param arena the queue pair's arena; its scope is checked at each use, because that may be outside the queue
     *     pair's guard
     * @param capacity the number of requests
     * @param maxInlineData the maximum size of one, in bytes
     */
    InlineData(Arena arena, int capacity, int maxInlineData) {
        this.maxInlineData = maxInlineData;
        this.memory = arena.allocate(Math.max(1, (long) capacity * maxInlineData));
    }

    /** Copies the data of the request at an index, and returns its address. */
    long copy(int index, MemorySlice local) {
        requireRoom(local.length());
        long offset = (long) index * maxInlineData;
        copyTo(offset, local);
        return memory.address() + offset;
    }

    /** Concatenates the slices of a list, and returns the address of the copy. */
    long copy(int index, SliceList local) {
        requireRoom(local.length());
        long start = (long) index * maxInlineData;
        long offset = start;
        for (int i = 0; i < local.size(); i++) {
            MemorySlice slice = local.get(i);
            copyTo(offset, slice);
            offset += slice.length();
        }
        return memory.address() + start;
    }

    /** Copies a part of a slice to {@link #address()}, as {@link #copy(MemorySegment)} does. */
    void copy(MemorySlice local, long from, long length) {
        MemorySegment source = local.region().segment();
        long offset = local.offset() + from;
        long target = target(length);
        if (length > SHORT) {
            NativeMemory.copy(source, offset, target, length);
        } else {
            copyShort(source, offset, target, length);
        }
    }

    /**
     * Copies memory that need not be registered to {@link #address()}. Only for an automatic arena: this does not check
     * the scope of the buffers.
     */
    void copy(MemorySegment source) {
        // Also if it is short: with two ways to copy below an endpoint's send, the compiler runs out of registers.
        long length = source.byteSize();
        NativeMemory.copy(source, 0, target(length), length);
    }

    private long target(long length) {
        requireRoom(length);
        return NativeMemory.structure(memory.address());
    }

    /** Copies by two words that may overlap: the checks of MemorySegment.copy take longer than the copy. */
    private static void copyShort(MemorySegment source, long offset, long target, long length) {
        if (length >= Long.BYTES) {
            long last = length - Long.BYTES;
            long tail = source.get(JAVA_LONG_UNALIGNED, offset + last);
            putLong(target, source.get(JAVA_LONG_UNALIGNED, offset));
            putLong(target + last, tail);
        } else if (length >= Integer.BYTES) {
            long last = length - Integer.BYTES;
            int tail = source.get(JAVA_INT_UNALIGNED, offset + last);
            putInt(target, source.get(JAVA_INT_UNALIGNED, offset));
            putInt(target + last, tail);
        } else if (length > 0) {
            long middle = length >>> 1;
            long last = length - 1;
            putByte(target, source.get(JAVA_BYTE, offset));
            putByte(target + middle, source.get(JAVA_BYTE, offset + middle));
            putByte(target + last, source.get(JAVA_BYTE, offset + last));
        }
    }

    /** Returns the address of the first request's data. */
    long address() {
        return memory.address();
    }

    /** Copies memory that need not be registered, for the request at an index, and returns its address. */
    long copy(int index, MemorySegment source) {
        requireRoom(source.byteSize());
        long offset = (long) index * maxInlineData;
        MemorySegment.copy(source, 0, memory, offset, source.byteSize());
        return memory.address() + offset;
    }

    /** Copies what remains in a buffer to {@link #address()}. */
    void copy(ByteBuffer source) {
        int length = source.remaining();
        requireRoom(length);
        if (view == null) {
            view = memory.asByteBuffer();
        }
        view.put(0, source, source.position(), length);
    }

    /** This check cannot be turned off: the copy would overwrite the next request's data. */
    private void requireRoom(long length) {
        if (length > maxInlineData) {
            throw Checks.tooLongInline(length, maxInlineData);
        }
    }

    private void copyTo(long offset, MemorySlice slice) {
        MemorySegment.copy(slice.region().segment(), slice.offset(), memory, offset, slice.length());
    }
}
