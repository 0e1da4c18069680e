// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import java.util.Objects;

/**
 * Registered device memory that a {@link DeviceMemoryPool} has lent, until {@link #close()}. Its contents are what the
 * last user left.
 *
 * <p>Thread safety: any thread may close it, and may use it as far as the user keeps threads apart. What was taken from
 * it (slices, remote memory) must not be used after it was closed, by the GPU, an adapter or a peer: somebody else has
 * the memory then.
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
     * The region that it lies in, for calls of a {@link DeviceChannel}, with {@link #offset()}.
     *
     * @return the slab's
     * @throws IllegalStateException if it was returned
     */
    public DeviceRegion region() {
        requireLent();
        return slab.region();
    }

    /** {@return where in the region it starts, in bytes} */
    public long offset() {
        return offset;
    }

    /** {@return the number of bytes that were asked for} */
    public long size() {
        return size;
    }

    /**
     * The memory, for kernels and copies.
     *
     * @return as many bytes as were asked for
     * @throws IllegalStateException if it was returned
     */
    public DeviceSlice memory() {
        requireLent();
        return slab.memory().slice(offset, size);
    }

    /**
     * The memory, for work requests; on the staged path, part of the slab's mirror, which is created on first use.
     *
     * @return as many bytes as were asked for
     * @throws IllegalStateException if it was returned
     */
    public MemorySlice slice() {
        return region().slice(offset, size);
    }

    /**
     * The memory as a peer names it; on the staged path, of the mirror.
     *
     * @return address, length and remote key
     * @throws IllegalStateException if it was returned
     */
    public RemoteMemory remoteMemory() {
        return slice().remoteMemory();
    }

    /**
     * {@link DeviceRegion#publish} for a part of this.
     *
     * @param from the first byte, from the start of this
     * @param length in bytes
     * @param stream whose work wrote it, or waits for it
     * @throws IndexOutOfBoundsException if it does not lie within
     * @throws IllegalStateException if it was returned
     */
    public void publish(long from, long length, CudaStream stream) {
        Objects.checkFromIndexSize(from, length, size);
        region().publish(offset + from, length, stream);
    }

    /**
     * {@link DeviceRegion#absorb} for a part of this.
     *
     * @param from the first byte, from the start of this
     * @param length in bytes
     * @param stream whose later work reads it
     * @throws IndexOutOfBoundsException if it does not lie within
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
     * Returns the memory to the pool; does nothing if that has happened. It calls no driver and waits for nothing: the
     * adapter, the peers and all streams must have finished with it.
     */
    @Override
    public void close() {
        pool.giveBack(this);
    }

    /** {@return size and place} */
    @Override
    public String toString() {
        return "%d bytes at %d of %s".formatted(size, offset, slab.region().memory());
    }
}
