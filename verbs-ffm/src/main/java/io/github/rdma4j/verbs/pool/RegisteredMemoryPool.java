// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.ClosePlace;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.LockedMemoryLimit;
import io.github.rdma4j.verbs.internal.PageMapping;
import io.github.rdma4j.verbs.internal.PageSize;
import io.github.rdma4j.verbs.internal.StackReserve;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A pool of registered memory. A registration is a system call that pins every page, which takes microseconds to
 * milliseconds. The pool registers large chunks and divides them by the buddy system, so an allocation is a short walk
 * over an array.
 *
 * <p>Sizes and alignments are rounded up to powers of two, and to the
 * {@linkplain PoolConfig#minBlockSize smallest block}: above that size, less than half of a block is wasted; below it,
 * 1 byte takes 256 bytes by default. An allocation larger than a chunk gets its own chunk of whole pages, which later
 * allocations of about that size reuse. Chunks remain registered until {@link #trim()} or {@link #close()}.
 *
 * <p>Thread safety: all methods may be called from any thread; while one thread registers a chunk, the others wait.
 * Close the pool before its protection domain.
 *
 * @since 0.1.0
 */
public final class RegisteredMemoryPool implements AutoCloseable {
    private static final int LEAKS_LISTED = 10;

    private final ProtectionDomain domain;
    private final PoolConfig config;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition returned = lock.newCondition();
    private final List<PoolChunk> chunks = new ArrayList<>();
    /** The allocations that were not returned, the youngest first. */
    private PooledMemory outstanding;

    private boolean closed;
    /** Null before the close, or if places are not recorded. */
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
    /** Why the kernel refused the last attempt to register a chunk; null if it did not, or there was no attempt. */
    private VerbsException refusal;

    private RegisteredMemoryPool(ProtectionDomain domain, PoolConfig config) {
        this.domain = Objects.requireNonNull(domain, "protection domain");
        this.config = config;
    }

    /**
     * Creates a pool that has not registered anything yet.
     *
     * @param domain the domain to register in
     * @param configuration sets what differs from the defaults
     * @return the pool; close it before the domain
     * @throws IllegalArgumentException if a value is out of range
     */
    public static RegisteredMemoryPool create(ProtectionDomain domain, Consumer<PoolConfig> configuration) {
        PoolConfig config = new PoolConfig();
        configuration.accept(config);
        config.check();
        return new RegisteredMemoryPool(domain, config);
    }

    /**
     * Allocates memory with the alignment of the smallest block.
     *
     * @param size in bytes, above 0
     * @return the memory; the caller closes it
     * @throws PoolExhaustedException if there is none after the configured wait, or at once if it exceeds the pool's
     *     limit; the message has the numbers
     * @throws VerbsException if registering a chunk fails for a reason other than a lack of memory
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
     * @param alignment the alignment of the address, in bytes; a power of two, at most a huge page and at most the
     *     chunk size
     * @return the memory; the caller closes it
     * @throws IllegalArgumentException if size or alignment is out of range
     * @throws PoolExhaustedException if there is none after the configured wait, or at once if it exceeds the pool's
     *     limit; the message has the numbers
     * @throws VerbsException if registering a chunk fails for a reason other than a lack of memory
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
        StackReserve.require(lock);
        lock.lock();
        try {
            PooledMemory memory = allocateLocked(size, alignment);
            return memory != null ? memory : allocateWaiting(size, alignment);
        } finally {
            lock.unlock();
        }
    }

    /** Allocates from the existing chunks, or from a new chunk if one may be registered; otherwise returns null. */
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

    /** Returns the smallest fitting chunk of an earlier large allocation, if at most half of it would be wasted. */
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
            // The next allocation there finds the pattern again, so one mistake is reported once.
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

    /** Returns null if the configuration or the kernel does not allow that much. */
    private PoolChunk register(long size) {
        refusal = null;
        boolean ordinaryToo = size != config.chunkSize();
        if (size > config.maxBytes() - registered) {
            // Unused chunks of other sizes may be enough. If all of them are too little, they stay.
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
        // Threads that wait because the kernel refused a chunk may find memory in this one.
        returned.signalAll();
        return chunk;
    }

    /** Returns null and keeps the refusal if the kernel does not allow that much. */
    private PoolChunk registerIfAllowed(long size) {
        long minBlock = size == config.chunkSize() ? config.minBlockSize() : size;
        try {
            PoolChunk chunk = PoolChunk.register(domain, size, minBlock, config);
            refusal = null;
            return chunk;
        } catch (VerbsException e) {
            if (e.errno() != Errno.ENOMEM) {
                throw e;
            }
            refusal = e;
            return null;
        }
    }

    private PooledMemory allocateWaiting(long size, long alignment) {
        // A request above the limit cannot be satisfied by waiting.
        boolean possible = chunkSizeFor(Math.max(size, alignment)) <= config.maxBytes();
        long left = possible ? Timeouts.nanos(config.waitWhenExhausted()) : 0;
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
        StackReserve.require(lock);
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
     * Registers chunks in advance, until the given number of bytes is registered.
     *
     * @param bytes the total, rounded up to whole chunks
     * @throws PoolExhaustedException if the configuration does not allow that much
     * @throws VerbsException if registering fails
     */
    public void reserve(long bytes) {
        StackReserve.require(lock);
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
     * Deregisters unused chunks.
     *
     * @return the number of bytes deregistered
     * @throws VerbsException if the adapter refuses
     */
    public long trim() {
        StackReserve.require(lock);
        lock.lock();
        try {
            long bytes = trimUntil(-1, true);
            // The kernel can now lock more memory.
            returned.signalAll();
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Deregisters unused chunks, or only those with their own size, until at most the given number of bytes is
     * registered; returns the number of bytes deregistered.
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

    /** {@return the current statistics} */
    public PoolStatistics statistics() {
        LockedMemoryLimit limit = LockedMemoryLimit.current();
        StackReserve.require(lock);
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
     * Deregisters and frees all memory. Memory that was not returned is reported to the
     * {@linkplain PoolConfig#leakReporter leak reporter}, and its later use throws an exception. Does nothing if the
     * pool is closed.
     *
     * @throws VerbsException if the adapter refuses; the pool can then be closed again
     */
    @Override
    public void close() {
        String leaks;
        StackReserve.require(lock);
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
            // Wakes the waiting threads.
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
