// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import java.lang.foreign.MemorySegment;

/**
 * Registered memory that a {@link RegisteredMemoryPool} has given out, until {@link #close()}. Its contents are what
 * the last user left.
 *
 * <p>Thread safety: any thread may close it, and may use it as far as the user keeps threads apart. Slices and segments
 * that were taken from it must not be used after it was closed, by this process or by an adapter: somebody else has the
 * memory then. {@link PoolConfig#detectUseAfterReturn} finds such mistakes.
 *
 * @since 0.1.0
 */
public final class PooledMemory implements AutoCloseable {
    private final RegisteredMemoryPool pool;
    final PoolChunk chunk;
    final long offset;
    private final MemorySlice slice;
    /** Null if it was returned. Guarded by the pool's lock for writing. */
    private volatile MemorySegment segment;

    /** The list of what is given out; guarded by the pool's lock. */
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
     * The memory, for work requests.
     *
     * @return as many bytes as were asked for
     * @throws IllegalStateException if it was returned
     */
    public MemorySlice slice() {
        requireNotReturned();
        return slice;
    }

    /**
     * The memory, to read and write.
     *
     * @return as many bytes as were asked for
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
     * The memory as a peer names it.
     *
     * @return address, length and remote key
     * @throws IllegalStateException if it was returned
     */
    public RemoteMemory remoteMemory() {
        requireNotReturned();
        return slice.remoteMemory();
    }

    /** {@return the number of bytes that were asked for} */
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

    /** Returns the memory to the pool; does nothing if that has happened. The adapter must have finished with it. */
    @Override
    public void close() {
        pool.giveBack(this);
    }

    /** {@return size and place} */
    @Override
    public String toString() {
        return "%d bytes at 0x%x".formatted(slice.length(), slice.region().address() + offset);
    }
}
