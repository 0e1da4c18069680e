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
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/**
 * Buffers for the inline data of some requests of one queue pair. Inline data is copied here first. The adapter's
 * library then copies it from here in user space; copying directly from memory whose arena was closed would crash the
 * JVM, while the JDK's copy checks that.
 */
final class InlineData {
    /** The longest data in bytes that is copied by words: MemorySegment.copy checks for longer than it copies. */
    private static final int SHORT = 8 * Long.BYTES;

    /** Referenced so that it lives as long as this object. */
    private final MemorySegment memory;

    private final long address;
    private final int maxInlineData;
    /** A view of the memory; null until a buffer is copied. */
    private ByteBuffer view;

    /**
     * Allocates.
     *
     * @param arena an automatic arena, or one that is closed when no thread can be in a method of this object
     * @param capacity the number of requests
     * @param maxInlineData the maximum size of one, in bytes
     */
    InlineData(Arena arena, int capacity, int maxInlineData) {
        this.maxInlineData = maxInlineData;
        this.memory = arena.allocate(Math.max(1, (long) capacity * maxInlineData));
        this.address = memory.address();
    }

    /** Copies the data of the request at an index, and returns its address. */
    long copy(int index, MemorySlice local) {
        // Not in a method shared with the two below: it would be one call deeper, where the compiler does not inline
        // all of the JDK's copy.
        MemorySegment source = local.region().segment();
        long length = local.length();
        long target = target(index, length);
        if (length > SHORT) {
            NativeMemory.copy(source, local.offset(), target, length);
        } else {
            copyShort(source, local.offset(), target, length);
        }
        Reference.reachabilityFence(this);
        return target;
    }

    /** Copies memory that need not be registered, for the request at an index, and returns its address. */
    long copy(int index, MemorySegment source) {
        long target = target(index, source.byteSize());
        NativeMemory.copy(source, 0, target, source.byteSize());
        Reference.reachabilityFence(this);
        return target;
    }

    /** Concatenates the slices of a list, and returns the address of the copy. */
    long copy(int index, SliceList local) {
        long start = target(index, local.length());
        long target = start;
        for (int i = 0; i < local.size(); i++) {
            MemorySlice slice = local.get(i);
            NativeMemory.copy(
                    slice.region().segment(), slice.offset(), NativeMemory.structure(target), slice.length());
            target += slice.length();
        }
        Reference.reachabilityFence(this);
        return start;
    }

    /** Copies a part of a slice to {@link #address()}, as {@link #copy(MemorySegment)} does. */
    void copy(MemorySlice local, long from, long length) {
        MemorySegment source = local.region().segment();
        long offset = local.offset() + from;
        long target = target(0, length);
        if (length > SHORT) {
            NativeMemory.copy(source, offset, target, length);
        } else {
            copyShort(source, offset, target, length);
        }
        Reference.reachabilityFence(this);
    }

    /** Copies memory that need not be registered to {@link #address()}. */
    void copy(MemorySegment source) {
        long length = source.byteSize();
        long target = target(0, length);
        if (length > SHORT) {
            NativeMemory.copy(source, 0, target, length);
        } else {
            copyShort(source, 0, target, length);
        }
        Reference.reachabilityFence(this);
    }

    private long target(int index, long length) {
        // This check cannot be turned off: the copy would overwrite the next request's data.
        if (length > maxInlineData) {
            throw Checks.tooLongInline(length, maxInlineData);
        }
        return NativeMemory.structure(address + (long) index * maxInlineData);
    }

    /**
     * Copies by words from both ends, which may overlap. Written out, because a loop, or a call more, would not be
     * compiled into straight code.
     */
    private static void copyShort(MemorySegment source, long offset, long target, long length) {
        if (length > 2 * Long.BYTES) {
            long last = length - Long.BYTES;
            if (length > 4 * Long.BYTES) {
                putLong(target + 16, source.get(JAVA_LONG_UNALIGNED, offset + 16));
                putLong(target + 24, source.get(JAVA_LONG_UNALIGNED, offset + 24));
                putLong(target + last - 24, source.get(JAVA_LONG_UNALIGNED, offset + last - 24));
                putLong(target + last - 16, source.get(JAVA_LONG_UNALIGNED, offset + last - 16));
            }
            putLong(target, source.get(JAVA_LONG_UNALIGNED, offset));
            putLong(target + 8, source.get(JAVA_LONG_UNALIGNED, offset + 8));
            putLong(target + last - 8, source.get(JAVA_LONG_UNALIGNED, offset + last - 8));
            putLong(target + last, source.get(JAVA_LONG_UNALIGNED, offset + last));
        } else if (length >= Long.BYTES) {
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

    private static void copyPair(MemorySegment source, long offset, long target) {
        putLong(target, source.get(JAVA_LONG_UNALIGNED, offset));
        putLong(target + Long.BYTES, source.get(JAVA_LONG_UNALIGNED, offset + Long.BYTES));
    }

    /** Returns the address of the first request's data. */
    long address() {
        return address;
    }

    /** Copies what remains in a buffer to {@link #address()}. */
    void copy(ByteBuffer source) {
        int length = source.remaining();
        target(0, length);
        if (view == null) {
            view = memory.asByteBuffer();
        }
        view.put(0, source, source.position(), length);
    }
}
