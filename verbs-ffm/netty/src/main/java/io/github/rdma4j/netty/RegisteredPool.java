// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The memory of {@link RdmaByteBufAllocator}: chunks, each cut into blocks of one size. Used by any thread. */
final class RegisteredPool {
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RegisteredPool.class);
    private static final int CHUNK = RdmaByteBufAllocator.LARGEST;
    private static final long PAGE = 4096;
    private static final int SMALLEST_SHIFT = Integer.numberOfTrailingZeros(RdmaByteBufAllocator.SMALLEST);
    private static final int SIZES = Integer.numberOfTrailingZeros(CHUNK) - SMALLEST_SHIFT + 1;
    /** A chunk is registered in at most so many domains at once. */
    private static final int MOST_DOMAINS = 64;

    private final long maxBytes;
    private final ReentrantLock lock = new ReentrantLock();
    // With the lock held.
    /**
     * The free blocks by size. The last returned block is taken first, because it is most likely in the CPU's cache.
     */
    private final List<ArrayDeque<Block>> free = new ArrayList<>();

    /** The last domain in which the kernel has refused to register memory; null if there is none. */
    private volatile ProtectionDomain refusing;

    private long takenBytes;
    private long usedBytes;
    private long fallbacks;

    RegisteredPool(long maxBytes) {
        this.maxBytes = maxBytes;
        for (int i = 0; i < SIZES; i++) {
            free.add(new ArrayDeque<>());
        }
    }

    /** Takes a block of at least so many bytes; null if none is left. */
    Block take(int bytes) {
        int index = Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros(bytes - 1) - SMALLEST_SHIFT);
        lock.lock();
        try {
            Block block = free.get(index).poll();
            if (block == null) {
                block = cut(index);
            }
            if (block == null) {
                fallbacks++;
            } else {
                usedBytes += block.bytes.capacity();
            }
            return block;
        } finally {
            lock.unlock();
        }
    }

    /** Allocates another chunk. Returns one of its blocks, and keeps the others. */
    private Block cut(int index) {
        if (takenBytes > maxBytes - CHUNK) {
            return null;
        }
        Chunk chunk = new Chunk(Arena.ofAuto().allocate(CHUNK, PAGE));
        takenBytes += CHUNK;
        int size = RdmaByteBufAllocator.SMALLEST << index;
        for (int offset = size; offset < CHUNK; offset += size) {
            free.get(index).add(new Block(this, chunk, offset, size, index));
        }
        return new Block(this, chunk, 0, size, index);
    }

    private void giveBack(Block block) {
        lock.lock();
        try {
            usedBytes -= block.bytes.capacity();
            free.get(block.index).push(block);
        } finally {
            lock.unlock();
        }
    }

    long takenBytes() {
        lock.lock();
        try {
            return takenBytes;
        } finally {
            lock.unlock();
        }
    }

    long usedBytes() {
        lock.lock();
        try {
            return usedBytes;
        } finally {
            lock.unlock();
        }
    }

    long fallbacks() {
        lock.lock();
        try {
            return fallbacks;
        } finally {
            lock.unlock();
        }
    }

    /** The memory of one buffer. */
    static final class Block {
        private final RegisteredPool pool;
        private final Chunk chunk;
        private final int index;
        private final ByteBuffer bytes;

        private Block(RegisteredPool pool, Chunk chunk, int offset, int size, int index) {
            this.pool = pool;
            this.chunk = chunk;
            this.index = index;
            this.bytes = chunk.memory.asSlice(offset, size).asByteBuffer();
        }

        /** {@return a view of the first bytes} */
        ByteBuffer first(int count) {
            return bytes.slice(0, count);
        }

        void giveBack() {
            pool.giveBack(this);
        }

        /**
         * Returns bytes of this block for an adapter.
         *
         * @param view a buffer in this block, whose position is at the bytes
         * @param length the number of bytes
         * @return null if this memory cannot be registered
         */
        MemorySlice slice(ProtectionDomain domain, ByteBuffer view, int length) {
            MemoryRegion region = chunk.region(domain);
            if (region == null) {
                return null;
            }
            return region.slice(MemorySegment.ofBuffer(view).address() - chunk.memory.address(), length);
        }
    }

    /** Memory that is registered as a whole. */
    private final class Chunk {
        /** The region is null if the kernel has refused. */
        private record Registration(ProtectionDomain domain, MemoryRegion region) {
            boolean isOpen() {
                return region == null ? domain.isOpen() : region.isOpen();
            }
        }

        private final MemorySegment memory;
        /** Replaced, never changed, with this object's lock held. */
        private volatile Registration[] registrations = {};

        private Chunk(MemorySegment memory) {
            this.memory = memory;
        }

        MemoryRegion region(ProtectionDomain domain) {
            for (Registration known : registrations) {
                if (known.domain == domain) {
                    return known.region != null && known.region.isOpen() ? known.region : null;
                }
            }
            return register(domain);
        }

        /** Registers the chunk in a domain. A region is closed with its domain, and then removed here. */
        private synchronized MemoryRegion register(ProtectionDomain domain) {
            List<Registration> left = new ArrayList<>();
            for (Registration known : registrations) {
                if (known.domain == domain) {
                    return known.region;
                }
                if (known.isOpen()) {
                    left.add(known);
                }
            }
            if (left.size() == MOST_DOMAINS) {
                return null;
            }
            MemoryRegion region = domain == refusing ? null : tryRegister(domain);
            left.add(new Registration(domain, region));
            registrations = left.toArray(Registration[]::new);
            return region;
        }

        private MemoryRegion tryRegister(ProtectionDomain domain) {
            try {
                // Only the adapter reads it.
                return domain.registerMemory(memory);
            } catch (RuntimeException e) {
                if (refusing == null) {
                    LOGGER.warn("cannot register memory of RdmaByteBufAllocator: its buffers are copied", e);
                }
                refusing = domain;
                return null;
            }
        }
    }
}
