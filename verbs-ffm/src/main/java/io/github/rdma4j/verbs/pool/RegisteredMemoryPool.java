// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.ClosePlace;
import io.github.rdma4j.verbs.internal.LockedMemoryLimit;
import io.github.rdma4j.verbs.internal.PageMapping;
import io.github.rdma4j.verbs.internal.PageSize;
import io.github.rdma4j.verbs.internal.ReadinessWaiter;
import io.github.rdma4j.verbs.internal.StackRoom;
import io.github.rdma4j.verbs.internal.TimeText;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Registered memory to allocate from. Registering costs a system call and the pinning of every page, microseconds to
 * milliseconds; the pool registers large chunks and divides them by the buddy system, so that an allocation is a short
 * walk over an array.
 *
 * <p>Sizes and alignments are rounded up to powers of two, and to the
 * {@linkplain PoolConfig#minBlockSize smallest block}: above that, less than half of a block is lost, and 1 byte takes
 * 256 by default. What is larger than a chunk gets one of its own, of whole pages, which later allocations of about
 * that size use again. Chunks remain registered until {@link #trim()} or {@link #close()}.
 *
 * <p>Thread safety: all methods may be called from any thread; a thread that makes the pool register a chunk keeps the
 * others waiting meanwhile. Close the pool before its protection domain.
 *
 * @since 0.1.0
 */
public final class RegisteredMemoryPool implements AutoCloseable {
    private static final int LEAKS_LISTED = 10;
    private static final int ENOMEM = 12;

    private final ProtectionDomain domain;
    private final PoolConfig config;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition returned = lock.newCondition();
    private final List<PoolChunk> chunks = new ArrayList<>();
    /** What is given out, youngest first. */
    private PooledMemory outstanding;

    private boolean closed;
    /** Null before the close, and where places are not kept. */
    private ClosePlace closePlace;

    private long inUse;
    private long requested;
    private long peak;
    private long registered;
    private long peakRegistered;
    private long outstandingCount;
    private long allocations;
    private long registrations;
    private long waits;
    private String pages = "";
    /** Why the kernel did not let the last attempt register a chunk; null if it did, or was not asked. */
    private VerbsException refusal;

    private RegisteredMemoryPool(ProtectionDomain domain, PoolConfig config) {
        this.domain = Objects.requireNonNull(domain, "protection domain");
        this.config = config;
    }

    /**
     * A pool that has registered nothing yet.
     *
     * @param domain to register in
     * @param configuration sets what differs from the defaults
     * @return the pool, to be closed before the domain
     * @throws IllegalArgumentException if a value is out of range
     */
    public static RegisteredMemoryPool create(ProtectionDomain domain, Consumer<PoolConfig> configuration) {
        PoolConfig config = new PoolConfig();
        configuration.accept(config);
        config.check();
        return new RegisteredMemoryPool(domain, config);
    }

    /**
     * Allocates memory, aligned as the smallest block is.
     *
     * @param size in bytes, above 0
     * @return the memory, to be closed by the user
     * @throws PoolExhaustedException if there is none, also after the time that the configuration lets it wait, and at
     *     once if the pool's limit never allows as much; the message names the numbers
     * @throws VerbsException if registering a chunk fails for another reason than want of memory
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if the pool is closed
     */
    public PooledMemory allocate(long size) {
        return allocate(size, 1);
    }

    /**
     * Allocates memory.
     *
     * @param size in bytes, above 0
     * @param alignment of the address, in bytes; a power of two, at most a huge page and at most the chunk size
     * @return the memory, to be closed by the user
     * @throws IllegalArgumentException if size or alignment is out of range
     * @throws PoolExhaustedException if there is none, also after the time that the configuration lets it wait, and at
     *     once if the pool's limit never allows as much; the message names the numbers
     * @throws VerbsException if registering a chunk fails for another reason than want of memory
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if the pool is closed
     */
    public PooledMemory allocate(long size, long alignment) {
        long hugePage = config.hugePages() == HugePages.EXPLICIT
                ? Math.min(PageMapping.HUGE_PAGE, PageMapping.TRANSPARENT_HUGE_PAGE)
                : PageMapping.TRANSPARENT_HUGE_PAGE;
        long maxAlignment = Math.min(hugePage, config.chunkSize());
        if (size < 1 || alignment < 1 || alignment > maxAlignment || Long.bitCount(alignment) != 1) {
            throw new IllegalArgumentException(
                    "%d bytes aligned to %d: the size is 1 or more, the alignment a power of two up to %d"
                            .formatted(size, alignment, maxAlignment));
        }
        StackRoom.require(lock);
        lock.lock();
        try {
            PooledMemory memory = allocateLocked(size, alignment);
            return memory != null ? memory : allocateWaiting(size, alignment);
        } finally {
            lock.unlock();
        }
    }

    /** From what there is, or from a new chunk if one may be registered; null if not. */
    private PooledMemory allocateLocked(long size, long alignment) {
        if (closed) {
            throw new IllegalStateException("the pool is closed", closePlace);
        }
        long needed = Math.max(size, alignment);
        PooledMemory memory = needed > config.chunkSize() ? findLarge(size) : findIn(size, needed);
        if (memory != null) {
            return memory;
        }
        PoolChunk chunk = register(chunkSizeFor(needed));
        return chunk == null ? null : take(chunk, size, needed);
    }

    private PooledMemory findIn(long size, long needed) {
        for (int i = 0; i < chunks.size(); i++) {
            PoolChunk chunk = chunks.get(i);
            if (!chunk.isClosing()
                    && chunk.size() == config.chunkSize()
                    && chunk.allocator().largestFree() >= chunk.allocator().blockSize(needed)) {
                return take(chunk, size, needed);
            }
        }
        return null;
    }

    /** A chunk of an earlier large allocation, if not more than half of it would be lost; the smallest that does. */
    private PooledMemory findLarge(long size) {
        PoolChunk best = null;
        for (int i = 0; i < chunks.size(); i++) {
            PoolChunk chunk = chunks.get(i);
            boolean fits = !chunk.isClosing()
                    && chunk.size() > config.chunkSize()
                    && chunk.allocator().isUnused()
                    && chunk.size() >= size
                    && chunk.size() / 2 <= size;
            if (fits && (best == null || chunk.size() < best.size())) {
                best = chunk;
            }
        }
        return best == null ? null : take(best, size, size);
    }

    private PooledMemory take(PoolChunk chunk, long size, long needed) {
        if (!chunk.region().isOpen()) {
            throw new IllegalStateException("the pool's protection domain is closed");
        }
        long offset = chunk.allocator().allocate(needed);
        long block = chunk.allocator().blockSize(needed);
        if (config.detectUseAfterReturn()) {
            requireUntouched(chunk, offset, block);
        }
        PooledMemory memory = new PooledMemory(this, chunk, offset, size);
        memory.next = outstanding;
        if (outstanding != null) {
            outstanding.previous = memory;
        }
        outstanding = memory;
        outstandingCount++;
        allocations++;
        inUse += block;
        requested += size;
        peak = Math.max(peak, inUse);
        return memory;
    }

    private static void requireUntouched(PoolChunk chunk, long offset, long block) {
        long at = chunk.findWrite(offset, block);
        if (at >= 0) {
            // The next allocation there finds the pattern again: one mistake is told once.
            chunk.fillWithPattern(offset, block);
            chunk.allocator().free(offset);
            throw new IllegalStateException(
                    "somebody wrote to pooled memory after it was returned: byte %d of the free block at 0x%x, %d bytes"
                            .formatted(at, chunk.region().address() + offset, block));
        }
    }

    private long chunkSizeFor(long needed) {
        if (needed <= config.chunkSize()) {
            return config.chunkSize();
        }
        long unit = switch (config.hugePages()) {
            case NONE -> PageSize.BYTES;
            case TRANSPARENT -> PageMapping.TRANSPARENT_HUGE_PAGE;
            case EXPLICIT -> PageMapping.HUGE_PAGE;
        };
        if (needed > Long.MAX_VALUE - unit) {
            throw new IllegalArgumentException(needed + " bytes are more than an address space holds");
        }
        return (needed + unit - 1) / unit * unit;
    }

    /** Null if the configuration or the kernel does not allow so much. */
    private PoolChunk register(long size) {
        refusal = null;
        boolean ordinaryToo = size != config.chunkSize();
        if (size > config.maxBytes() - registered) {
            // What lies idle in chunks of other sizes may make room. If all of it is too little, it stays.
            if (size > config.maxBytes() - registered + idleBytes(ordinaryToo)) {
                return null;
            }
            trimUntil(config.maxBytes() - size, ordinaryToo);
        }
        PoolChunk chunk = registerIfAllowed(size);
        if (chunk == null && size <= idleBytes(ordinaryToo)) {
            // The same for the kernel's limit on locked memory.
            trimUntil(registered - size, ordinaryToo);
            chunk = registerIfAllowed(size);
        }
        if (chunk == null) {
            return null;
        }
        chunks.add(chunk);
        registrations++;
        registered += size;
        peakRegistered = Math.max(peakRegistered, registered);
        pages = chunk.pages();
        // Whoever waits because the kernel refused a chunk may find room in this one.
        returned.signalAll();
        return chunk;
    }

    /** Null, and the refusal, if the kernel does not allow so much. */
    private PoolChunk registerIfAllowed(long size) {
        long minBlock = size == config.chunkSize() ? config.minBlockSize() : size;
        try {
            PoolChunk chunk = PoolChunk.register(domain, size, minBlock, config);
            refusal = null;
            return chunk;
        } catch (VerbsException e) {
            if (e.errno() != ENOMEM) {
                throw e;
            }
            refusal = e;
            return null;
        }
    }

    private PooledMemory allocateWaiting(long size, long alignment) {
        // For what the limit never allows nobody can make room.
        boolean possible = chunkSizeFor(Math.max(size, alignment)) <= config.maxBytes();
        long left = possible ? ReadinessWaiter.nanos(config.waitWhenExhausted()) : 0;
        if (left > 0) {
            waits++;
        }
        try {
            while (left > 0) {
                left = returned.awaitNanos(left);
                PooledMemory memory = allocateLocked(size, alignment);
                if (memory != null) {
                    return memory;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaitInterruptedException("waiting for %d bytes of a memory pool".formatted(size));
        }
        throw exhausted(size, possible);
    }

    private PoolExhaustedException exhausted(long size, boolean waits) {
        long largest = chunks.stream()
                .mapToLong(chunk -> chunk.allocator().largestFree())
                .max()
                .orElse(0);
        return new PoolExhaustedException(
                "allocating %d bytes from a memory pool".formatted(size),
                ("%d bytes are in use in %d allocations (peak %d), %d are registered, and the pool's limit is %d; the"
                                + " largest free block has %d bytes; %s%s%s")
                        .formatted(
                                inUse,
                                outstandingCount,
                                peak,
                                registered,
                                config.maxBytes(),
                                largest,
                                LockedMemoryLimit.current().describe(),
                                config.waitWhenExhausted().isZero() || !waits
                                        ? ""
                                        : "; waited " + TimeText.of(config.waitWhenExhausted()),
                                refusal == null
                                        ? ""
                                        : "; the kernel refused to register more: " + refusal.getMessage()),
                remedy(waits),
                refusal);
    }

    private String remedy(boolean waits) {
        if (refusal != null) {
            return "";
        }
        return waits
                ? "return memory sooner, raise maxBytes, or let allocations wait (waitWhenExhausted)"
                : "raise maxBytes, or ask for less at once";
    }

    void giveBack(PooledMemory memory) {
        StackRoom.require(lock);
        lock.lock();
        try {
            if (memory.isReturned()) {
                return;
            }
            memory.markReturned();
            unlink(memory);
            outstandingCount--;
            requested -= memory.size();
            if (!closed) {
                long block = memory.chunk.allocator().free(memory.offset);
                inUse -= block;
                if (config.detectUseAfterReturn() && memory.chunk.region().isOpen()) {
                    memory.chunk.fillWithPattern(memory.offset, block);
                }
                returned.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void unlink(PooledMemory memory) {
        if (memory.previous == null) {
            outstanding = memory.next;
        } else {
            memory.previous.next = memory.next;
        }
        if (memory.next != null) {
            memory.next.previous = memory.previous;
        }
        memory.previous = null;
        memory.next = null;
    }

    /**
     * Registers chunks before they are needed, until so much is registered in all.
     *
     * @param bytes is rounded up to whole chunks
     * @throws PoolExhaustedException if the configuration does not allow so much
     * @throws VerbsException if registering fails
     */
    public void reserve(long bytes) {
        StackRoom.require(lock);
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the pool is closed", closePlace);
            }
            while (registered < bytes) {
                if (register(config.chunkSize()) == null) {
                    throw exhausted(bytes, false);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Deregisters the chunks of which nothing is in use.
     *
     * @return how many bytes they had
     * @throws VerbsException if the adapter refuses
     */
    public long trim() {
        StackRoom.require(lock);
        lock.lock();
        try {
            long bytes = trimUntil(-1, true);
            // Of the memory that the kernel may lock, there is more now.
            returned.signalAll();
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Deregisters unused chunks, or only those of their own size, until no more than so much is registered; what it did
     * deregister.
     */
    private long trimUntil(long enough, boolean ordinaryToo) {
        long before = registered;
        for (PoolChunk chunk : List.copyOf(chunks)) {
            if (isIdle(chunk, ordinaryToo) && registered > enough) {
                chunk.close();
                chunks.remove(chunk);
                registered -= chunk.size();
            }
        }
        return before - registered;
    }

    private long idleBytes(boolean ordinaryToo) {
        long bytes = 0;
        for (PoolChunk chunk : chunks) {
            bytes += isIdle(chunk, ordinaryToo) ? chunk.size() : 0;
        }
        return bytes;
    }

    private boolean isIdle(PoolChunk chunk, boolean ordinaryToo) {
        return chunk.allocator().isUnused() && (ordinaryToo || chunk.size() != config.chunkSize());
    }

    /** {@return the numbers as they are now} */
    public PoolStatistics statistics() {
        LockedMemoryLimit limit = LockedMemoryLimit.current();
        StackRoom.require(lock);
        lock.lock();
        try {
            return new PoolStatistics(
                    inUse,
                    requested,
                    peak,
                    registered,
                    peakRegistered,
                    config.maxBytes(),
                    chunks.size(),
                    outstandingCount,
                    allocations,
                    registrations,
                    waits,
                    limit.softLimit(),
                    limit.pinned(),
                    pages);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Deregisters and frees all memory, also what was not returned; that is told to the
     * {@linkplain PoolConfig#leakReporter leak reporter}, and its use is an exception from now on. Does nothing if the
     * pool is closed.
     *
     * @throws VerbsException if the adapter refuses; the pool can then be closed again
     */
    @Override
    public void close() {
        String leaks;
        StackRoom.require(lock);
        lock.lock();
        try {
            if (closed && chunks.isEmpty()) {
                return;
            }
            if (!closed) {
                closePlace = ClosePlace.of("the pool");
                closed = true;
            }
            leaks = describeLeaks();
            // Whoever waits is told.
            returned.signalAll();
            while (!chunks.isEmpty()) {
                PoolChunk chunk = chunks.getLast();
                chunk.close();
                chunks.removeLast();
                registered -= chunk.size();
            }
        } finally {
            lock.unlock();
        }
        if (!leaks.isEmpty()) {
            config.leakReporter().accept(leaks);
        }
    }

    private String describeLeaks() {
        if (outstanding == null) {
            return "";
        }
        StringBuilder text = new StringBuilder("a memory pool was closed with %d bytes in %d allocations not returned:"
                .formatted(requested, outstandingCount));
        int listed = 0;
        for (PooledMemory memory = outstanding; memory != null && listed < LEAKS_LISTED; memory = memory.next) {
            text.append(listed == 0 ? " " : ", ").append(memory);
            listed++;
        }
        return outstandingCount > listed
                ? text.append(", and %d more".formatted(outstandingCount - listed))
                        .toString()
                : text.toString();
    }
}
