// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.perftest.memory.RunBuffer;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** A buffer that the processor accesses, in one memory region or several of equal length. */
final class HostMessageMemory implements MessageMemory {
    private final RunBuffer buffer;
    private final long regionSize;
    private final List<MemoryRegion> regions = new ArrayList<>();
    /** The null memory region, from which the adapter reads zeros and in which it discards data; null without one. */
    private MemoryRegion nothing;

    /**
     * Registers the buffer.
     *
     * @param buffer closed with this, also if this fails
     * @param regionSize bytes of a region
     * @param dropped whether requests name a null memory region instead of the buffer's regions
     */
    HostMessageMemory(
            RunBuffer buffer, ProtectionDomain domain, long regionSize, boolean dropped, AccessFlag... access) {
        this.buffer = buffer;
        this.regionSize = regionSize;
        try {
            MemorySegment segment = buffer.segment();
            for (long at = 0; at < segment.byteSize(); at += regionSize) {
                regions.add(domain.registerMemory(segment.asSlice(at, regionSize), access));
            }
            nothing = dropped ? domain.allocateNullMemoryRegion() : null;
        } catch (RuntimeException | Error failure) {
            close();
            throw failure;
        }
    }

    private MemoryRegion region(long offset) {
        return regions.get((int) (offset / regionSize));
    }

    @Override
    public MemorySlice slice(long offset, long length) {
        // A null memory region has any address.
        return nothing != null
                ? nothing.slice(remoteAddress(offset), length)
                : region(offset).slice(offset % regionSize, length);
    }

    @Override
    public long remoteAddress(long offset) {
        return buffer.segment().address() + offset;
    }

    @Override
    public int remoteKey(long offset) {
        // As in C: the kernel has one key for a null memory region, and the adapter also accepts it from a peer.
        return nothing != null ? nothing.localKey() : region(offset).remoteKey();
    }

    @Override
    public MemorySegment contents() {
        return buffer.segment();
    }

    @Override
    public void fill(byte[] content) {
        buffer.fill(content);
    }

    @Override
    public void publish() {
        // The processor writes where the adapter reads.
    }

    @Override
    public void absorb(long[] written) {
        // The adapter writes where the processor reads.
    }

    @Override
    public void close() {
        if (nothing != null) {
            nothing.close();
        }
        regions.forEach(MemoryRegion::close);
        buffer.close();
    }
}
