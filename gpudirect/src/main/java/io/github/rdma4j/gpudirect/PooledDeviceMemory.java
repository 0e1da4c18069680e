// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import java.util.Objects;

/**
 * A buffer of registered device memory that a {@link DeviceMemoryPool} has lent, until {@link #close()}. It contains
 * whatever the previous user left.
 *
 * <p>Thread safety: any thread may close it, and may use it if the user synchronizes the threads. Slices and remote
 * memory of the buffer must not be used after the close, by the GPU, an adapter or a peer: another user may have the
 * memory.
 *
 * @since 0.1.0
 */
public final class PooledDeviceMemory implements AutoCloseable {
    private final DeviceMemoryPool pool;
    final DeviceSlab slab;
    private final long offset;
    private final long size;
    /** Guarded by the pool's lock for writing. */
    private volatile boolean returned;

    PooledDeviceMemory(DeviceMemoryPool pool, DeviceSlab slab, long offset, long size) {
        this.pool = pool;
        this.slab = slab;
        this.offset = offset;
        this.size = size;
    }

    /**
     * Returns the region that contains the buffer, for calls of a {@link DeviceChannel} with {@link #offset()}.
     *
     * @return the region of the slab
     * @throws IllegalStateException if it was returned
     */
    public DeviceRegion region() {
        requireLent();
        return slab.region();
    }

    /** {@return the start of the buffer in the region, in bytes} */
    public long offset() {
        return offset;
    }

    /** {@return the requested number of bytes} */
    public long size() {
        return size;
    }

    /**
     * Returns the memory for kernels and copies.
     *
     * @return a slice of the requested size
     * @throws IllegalStateException if it was returned
     */
    public DeviceSlice memory() {
        requireLent();
        return slab.memory().slice(offset, size);
    }

    /**
     * Returns the memory for work requests; on the staged path, a part of the slab's mirror, which is created on first
     * use.
     *
     * @return a slice of the requested size
     * @throws IllegalStateException if it was returned
     */
    public MemorySlice slice() {
        return region().slice(offset, size);
    }

    /**
     * Returns the memory for remote access by a peer; on the staged path, a part of the mirror.
     *
     * @return address, length and remote key
     * @throws IllegalStateException if it was returned
     */
    public RemoteMemory remoteMemory() {
        return slice().remoteMemory();
    }

    /**
     * Calls {@link DeviceRegion#publish} for a part of this buffer.
     *
     * @param from the first byte, from the start of this buffer
     * @param length in bytes
     * @param stream the stream that wrote the memory, or that waits for the work that did
     * @throws IndexOutOfBoundsException if the range is not inside the buffer
     * @throws IllegalStateException if it was returned
     */
    public void publish(long from, long length, CudaStream stream) {
        Objects.checkFromIndexSize(from, length, size);
        region().publish(offset + from, length, stream);
    }

    /**
     * Calls {@link DeviceRegion#absorb} for a part of this buffer.
     *
     * @param from the first byte, from the start of this buffer
     * @param length in bytes
     * @param stream whose later work reads the bytes
     * @throws IndexOutOfBoundsException if the range is not inside the buffer
     * @throws IllegalStateException if it was returned
     */
    public void absorb(long from, long length, CudaStream stream) {
        Objects.checkFromIndexSize(from, length, size);
        region().absorb(offset + from, length, stream);
    }

    /** {@return whether it was returned} */
    public boolean isReturned() {
        return returned;
    }

    private void requireLent() {
        if (returned) {
            throw new IllegalStateException(this + " was returned to its pool");
        }
    }

    void markReturned() {
        returned = true;
    }

    /**
     * Returns the memory to the pool; a second call does nothing. Calls no driver and does not wait: the adapter, the
     * peers and all streams must have finished with the memory.
     */
    @Override
    public void close() {
        pool.giveBack(this);
    }

    /** {@return the size and the position} */
    @Override
    public String toString() {
        return "%d bytes at %d of %s".formatted(size, offset, slab.region().memory());
    }
}
