// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.bindings.ibv_sge;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A scatter-gather list: several {@link MemorySlice}s that one work request takes as one message (an array of
 * {@code struct ibv_sge}). Create it once and reuse it: filling and posting it allocates nothing. Posting copies the
 * list, so it may be changed once the request is added or posted. The memory of its slices belongs to the adapter until
 * the request is done.
 *
 * <p>Thread safety: for one thread at a time.
 *
 * @since 0.1.0
 */
public final class SliceList {
    /** The maximum number of slices of a list. A device allows fewer: {@link DeviceAttributes#maxScatterGather()}. */
    public static final int MAX_CAPACITY = 1024;

    private static final long SGE_SIZE = ibv_sge.sizeof();
    private static final long ADDRESS = ibv_sge.addr$offset();
    private static final long LENGTH = ibv_sge.length$offset();
    private static final long KEY = ibv_sge.lkey$offset();

    private final MemorySegment entries;
    private final MemorySlice[] slices;
    private int size;
    private long length;

    private SliceList(int capacity) {
        entries = ibv_sge.allocateArray(Math.max(1, capacity), Arena.ofAuto());
        slices = new MemorySlice[capacity];
    }

    /**
     * Creates an empty list.
     *
     * @param capacity the maximum number of slices, 0 to {@value #MAX_CAPACITY}
     * @return the list
     * @throws IllegalArgumentException if the capacity is out of range
     */
    public static SliceList allocate(int capacity) {
        if (capacity < 0 || capacity > MAX_CAPACITY) {
            throw new IllegalArgumentException("capacity %d is not in 0..%d".formatted(capacity, MAX_CAPACITY));
        }
        return new SliceList(capacity);
    }

    /**
     * Creates a list of slices.
     *
     * @param slices the slices, in the order of the message; none for an empty message
     * @return the list, full
     */
    public static SliceList of(MemorySlice... slices) {
        SliceList list = allocate(slices.length);
        for (MemorySlice slice : slices) {
            list.add(slice);
        }
        return list;
    }

    /**
     * Appends a slice.
     *
     * @param slice a slice of a region in the protection domain in which the list will be used
     * @return this
     * @throws IllegalStateException if the list is full
     */
    public SliceList add(MemorySlice slice) {
        Objects.requireNonNull(slice, "slice");
        if (size == slices.length) {
            throw new IllegalStateException("the list is full: it holds " + size + " slices");
        }
        if (slice.length() > 0xffff_ffffL) {
            throw new IllegalArgumentException("a slice of %d bytes: an entry has 32 bits".formatted(slice.length()));
        }
        long offset = size * SGE_SIZE;
        entries.set(JAVA_LONG, offset + ADDRESS, slice.address());
        entries.set(JAVA_INT, offset + LENGTH, (int) slice.length());
        entries.set(JAVA_INT, offset + KEY, slice.localKey());
        slices[size++] = slice;
        length += slice.length();
        return this;
    }

    /**
     * Empties the list.
     *
     * @return this
     */
    public SliceList clear() {
        size = 0;
        length = 0;
        return this;
    }

    /** {@return the number of slices in the list} */
    public int size() {
        return size;
    }

    /** {@return the maximum number of slices} */
    public int capacity() {
        return slices.length;
    }

    /** {@return the total number of bytes of all slices} */
    public long length() {
        return length;
    }

    /**
     * Returns a slice of the list.
     *
     * @param index from 0, less than {@link #size()}
     * @return the slice
     * @throws IndexOutOfBoundsException if there are fewer
     */
    public MemorySlice get(int index) {
        return slices[Objects.checkIndex(index, size)];
    }

    /** Returns the native entries; the first {@link #size()} are used. */
    MemorySegment entries() {
        return entries;
    }

    /** {@return the number of slices and bytes} */
    @Override
    public String toString() {
        return "%d slices, %d bytes".formatted(size, length);
    }
}
