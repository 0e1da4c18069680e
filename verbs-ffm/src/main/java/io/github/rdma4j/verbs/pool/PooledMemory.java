// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import java.lang.foreign.MemorySegment;

/**
 * Registered memory from a {@link RegisteredMemoryPool}, valid until {@link #close()}. Its initial contents are
 * undefined.
 *
 * <p>Thread safety: any thread may close it and use its contents, if the program synchronizes the threads. Neither this
 * process nor an adapter may use its slices and segments after the close, because another allocation may have the
 * memory. {@link PoolConfig#detectUseAfterReturn} finds such mistakes.
 *
 * @since 0.1.0
 */
public final class PooledMemory implements AutoCloseable {
    private final RegisteredMemoryPool pool;
    final PoolChunk chunk;
    final long offset;
    private final MemorySlice slice;
    /** Null if it was returned. Written under the pool's lock. */
    private volatile MemorySegment segment;

    /** The list of allocations that were not returned; guarded by the pool's lock. */
    PooledMemory previous;

    PooledMemory next;

    PooledMemory(RegisteredMemoryPool pool, PoolChunk chunk, long offset, long size) {
        this.pool = pool;
        this.chunk = chunk;
        this.offset = offset;
        this.slice = chunk.region().slice(offset, size);
        this.segment = chunk.region().segment().asSlice(offset, size);
    }

    /**
     * Returns the memory, for work requests.
     *
     * @return a slice of the requested size
     * @throws IllegalStateException if it was returned
     */
    public MemorySlice slice() {
        requireNotReturned();
        return slice;
    }

    /**
     * Returns the memory, to read and write.
     *
     * @return a segment of the requested size
     * @throws IllegalStateException if it was returned
     */
    public MemorySegment segment() {
        MemorySegment current = segment;
        if (current == null) {
            throw returned();
        }
        return current;
    }

    /**
     * Returns the memory as a peer names it.
     *
     * @return address, length and remote key
     * @throws IllegalStateException if it was returned
     */
    public RemoteMemory remoteMemory() {
        requireNotReturned();
        return slice.remoteMemory();
    }

    /** {@return the requested number of bytes} */
    public long size() {
        return slice.length();
    }

    /** {@return whether it was returned} */
    public boolean isReturned() {
        return segment == null;
    }

    private void requireNotReturned() {
        if (segment == null) {
            throw returned();
        }
    }

    private IllegalStateException returned() {
        return new IllegalStateException(this + " was returned to its pool");
    }

    void markReturned() {
        segment = null;
    }

    /**
     * Returns the memory to the pool; does nothing if it was returned already. The adapter must have finished with it.
     */
    @Override
    public void close() {
        pool.giveBack(this);
    }

    /** {@return size and address} */
    @Override
    public String toString() {
        return "%d bytes at 0x%x".formatted(slice.length(), slice.region().address() + offset);
    }
}
