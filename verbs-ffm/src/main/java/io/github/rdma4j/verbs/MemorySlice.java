// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A part of a {@link MemoryRegion}, for work requests. Immutable; the bounds are checked when it is created.
 *
 * @since 0.1.0
 */
public final class MemorySlice {
    private final MemoryRegion region;
    private final long offset;
    private final long length;
    private final long address;
    private final int localKey;
    private final long lengthAndKey;

    MemorySlice(MemoryRegion region, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, region.length());
        this.region = region;
        this.offset = offset;
        this.length = length;
        this.address = region.address() + offset;
        this.localKey = region.localKey();
        this.lengthAndKey = NativeMemory.pair((int) length, localKey);
    }

    /** {@return the region that the slice is part of} */
    public MemoryRegion region() {
        return region;
    }

    /** {@return the first byte, counted from the region's start} */
    public long offset() {
        return offset;
    }

    /** {@return the number of bytes} */
    public long length() {
        return length;
    }

    /**
     * Returns address, length and remote key of the slice: a value to send to a peer. The remote key belongs to the
     * whole region, so the adapter checks a peer's requests against the bounds and rights of the region, not of the
     * slice.
     *
     * @return address, length and remote key
     * @throws IllegalStateException if the region is closed
     */
    public RemoteMemory remoteMemory() {
        region.requireOpen();
        return new RemoteMemory(address, length, region.remoteKey());
    }

    /**
     * Returns the memory of the slice.
     *
     * @return the part of the region's segment
     * @throws UnsupportedOperationException if the region has none: see {@link MemoryRegion#hasSegment()}
     */
    public MemorySegment segment() {
        return region.segment().asSlice(offset, length);
    }

    long address() {
        return address;
    }

    int localKey() {
        return localKey;
    }

    /** Returns the last two fields of a {@code struct ibv_sge}; the length has 32 bits. */
    long lengthAndKey() {
        return lengthAndKey;
    }

    /**
     * Returns a part of this slice.
     *
     * @param from from the start of this slice, in bytes
     * @param size in bytes
     * @return the part
     * @throws IndexOutOfBoundsException if it does not lie within this slice
     */
    public MemorySlice slice(long from, long size) {
        Objects.checkFromIndexSize(from, size, length);
        return new MemorySlice(region, offset + from, size);
    }

    /** {@return the region and the range} */
    @Override
    public String toString() {
        return "bytes %d..%d of %s".formatted(offset, offset + length, region);
    }
}
