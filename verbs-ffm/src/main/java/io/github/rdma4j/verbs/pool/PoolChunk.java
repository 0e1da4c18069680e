// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.internal.PageMapping;
import io.github.rdma4j.verbs.internal.RegionAccess;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** One registration of a pool, with its allocated blocks. Guarded by the pool's lock. */
final class PoolChunk {
    private static final byte PATTERN = (byte) 0xa5;
    private static final MemorySegment PATTERNS = patterns();

    private final PageMapping mapping;
    private final MemoryRegion region;
    private final BuddyAllocator allocator;
    private final String pages;
    private boolean closing;

    private PoolChunk(PageMapping mapping, MemoryRegion region, BuddyAllocator allocator, String pages) {
        this.mapping = mapping;
        this.region = region;
        this.allocator = allocator;
        this.pages = pages;
    }

    private static MemorySegment patterns() {
        byte[] bytes = new byte[1 << 16];
        Arrays.fill(bytes, PATTERN);
        return MemorySegment.ofArray(bytes);
    }

    static PoolChunk register(ProtectionDomain domain, long size, long minBlock, PoolConfig config) {
        BuddyAllocator allocator = new BuddyAllocator(size, minBlock);
        PageMapping mapping = PageMapping.map(size, wish(config.hugePages()));
        MemoryRegion region;
        try {
            if (config.detectUseAfterReturn()) {
                mapping.memory().fill(PATTERN);
            }
            region = domain.registerMemory(mapping.memory(), config.access());
            RegionAccess.door().keep(region);
        } catch (Throwable e) {
            try {
                mapping.unmap();
            } catch (RuntimeException again) {
                e.addSuppressed(again);
            }
            throw e;
        }
        return new PoolChunk(mapping, region, allocator, describe(mapping, config.hugePages()));
    }

    private static PageMapping.Wish wish(HugePages pages) {
        return switch (pages) {
            case NONE -> PageMapping.Wish.ORDINARY;
            case TRANSPARENT -> PageMapping.Wish.TRANSPARENT;
            case EXPLICIT -> PageMapping.Wish.EXPLICIT;
        };
    }

    BuddyAllocator allocator() {
        return allocator;
    }

    MemoryRegion region() {
        return region;
    }

    long size() {
        return mapping.memory().byteSize();
    }

    /** Called after the registration, which has touched every page: only then are the actual pages known. */
    private static String describe(PageMapping mapping, HugePages wish) {
        boolean transparent = mapping.huge()
                && (wish == HugePages.TRANSPARENT || !mapping.refusal().isEmpty());
        String got = transparent
                ? "%s for %d of %d bytes"
                        .formatted(
                                mapping.pages(),
                                mapping.transparentBytes(),
                                mapping.memory().byteSize())
                : mapping.pages();
        return mapping.refusal().isEmpty() ? got : got + " (" + mapping.refusal() + ")";
    }

    String pages() {
        return pages;
    }

    void fillWithPattern(long offset, long size) {
        mapping.memory().asSlice(offset, size).fill(PATTERN);
    }

    /** Returns where a block differs from the pattern, or -1. */
    long findWrite(long offset, long size) {
        for (long at = 0; at < size; at += PATTERNS.byteSize()) {
            long part = Math.min(PATTERNS.byteSize(), size - at);
            long found = mapping.memory().asSlice(offset + at, part).mismatch(PATTERNS.asSlice(0, part));
            if (found >= 0) {
                return at + found;
            }
        }
        return -1;
    }

    /** {@return whether a close has begun; no memory is then allocated from the chunk} */
    boolean isClosing() {
        return closing;
    }

    /**
     * Deregisters first, so that the adapter cannot access the memory after it has been freed. After an exception it
     * can be called again, and continues where it stopped.
     */
    void close() {
        closing = true;
        RegionAccess.door().close(region);
        mapping.unmap();
    }
}
