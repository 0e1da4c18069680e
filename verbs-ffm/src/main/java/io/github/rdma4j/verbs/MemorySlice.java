// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.NativeMemory;
import java.util.Objects;

/** A part of a {@link MemoryRegion}, named in work requests. Immutable; bounds were checked when it was made. */
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

    /** {@return the region that it is a part of} */
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

    long address() {
        return address;
    }

    int localKey() {
        return localKey;
    }

    /** The last two fields of a {@code struct ibv_sge}, whose length has 32 bits. */
    long lengthAndKey() {
        return lengthAndKey;
    }

    /**
     * A part of this part.
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
