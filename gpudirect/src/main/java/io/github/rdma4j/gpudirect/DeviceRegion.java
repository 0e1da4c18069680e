// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.cuda.FlushScope;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Device memory that an adapter can use. On a direct path, the adapter accesses the device memory. On the staged path,
 * it accesses a mirror: pinned host memory of the same length, created on first use. {@link #publish} and
 * {@link #absorb} make a program correct on both:
 *
 * <ul>
 * <li>before the adapter reads what kernels have written: {@code publish}, then wait until the stream has reached this
 * point, then post, or notify the peer;
 * <li>before a kernel reads what the adapter has written: wait for the completion, or for the peer's notification, then
 * {@code absorb}, then launch the kernel on the same stream.
 * </ul>
 *
 * <p>Closing its device memory also closes it. Close it before the protection domain.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class DeviceRegion implements AutoCloseable {
    private final GpuDirect owner;
    private final DeviceSlice memory;
    private final PathDecision decision;
    private final AccessFlag[] access;
    /** Null on the staged path. */
    private final MemoryRegion direct;

    private final boolean synchronous;
    /** Null before the first use, and on a direct path. */
    private final AtomicReference<StagedMirror> mirror = new AtomicReference<>();

    /** The bytes of the GPU's window that it takes; 0 on the staged path and after the close. */
    private final AtomicLong directBytes;

    private final AtomicLong directBytesOfGpu;
    private volatile boolean closed;

    DeviceRegion(
            GpuDirect owner,
            DeviceSlice memory,
            PathDecision decision,
            DirectRegistration registration,
            AccessFlag... access) {
        this.owner = owner;
        this.memory = memory;
        this.decision = decision;
        this.direct = registration.region();
        this.synchronous = direct == null || registration.isSynchronous();
        this.access = access;
        this.directBytesOfGpu = DirectBytes.of(memory.memory().context().device());
        this.directBytes = new AtomicLong(direct == null ? 0 : DirectBytes.pages(memory.length()));
        directBytesOfGpu.addAndGet(directBytes.get());
    }

    /** {@return the path of the bytes} */
    public GpuPath path() {
        return decision.path();
    }

    /** {@return the path and why no better one was taken} */
    public PathDecision decision() {
        return decision;
    }

    /** {@return the device memory that is registered} */
    public DeviceSlice memory() {
        return memory;
    }

    /** {@return the length in bytes} */
    public long length() {
        return memory.length();
    }

    /**
     * Returns whether synchronous copies and fills of the memory (by {@link io.github.rdma4j.cuda.DeviceMemory}) are
     * also complete for the adapter when they return ({@code SYNC_MEMOPS}).
     *
     * @return false for memory of the virtual-memory API before CUDA 12.1: copy on a stream then, and wait for it
     */
    public boolean hasSynchronousMemoryOperations() {
        return synchronous;
    }

    /**
     * Returns the region for work requests. On a direct path it is the device memory, with the device's addresses. On
     * the staged path it is the mirror, which is created on the first call with the current contents of the device
     * memory.
     *
     * @return the region, without a segment on a direct path
     * @throws IllegalStateException if this is closed, or the GPU is too busy to copy the memory to the mirror in time
     * @throws io.github.rdma4j.cuda.OutOfDeviceMemoryException if the mirror cannot be pinned
     * @throws io.github.rdma4j.verbs.VerbsException if the mirror cannot be registered
     */
    public MemoryRegion memoryRegion() {
        requireOpen();
        return direct != null ? direct : mirror().region();
    }

    /**
     * Returns a part of {@link #memoryRegion()}, for work requests.
     *
     * @param offset from the start of this region, in bytes
     * @param size in bytes
     * @return the part
     * @throws IndexOutOfBoundsException if the range is not inside the region
     */
    public MemorySlice slice(long offset, long size) {
        return memoryRegion().slice(offset, size);
    }

    /** {@return all of {@link #memoryRegion()}, for work requests} */
    public MemorySlice slice() {
        return memoryRegion().slice();
    }

    /** {@return the memory for remote access by a peer; on the staged path, the mirror. Send this value to the peer} */
    public RemoteMemory remoteMemory() {
        return memoryRegion().remoteMemory();
    }

    /**
     * Makes the results of earlier work of a stream visible to the adapter, once the stream has reached this point. On
     * the staged path, queues a copy to the mirror. On a direct path, does nothing.
     *
     * @param offset of the first byte, from the start of this region
     * @param size in bytes
     * @param stream the stream that wrote the memory, or that waits for the work that did
     * @throws IndexOutOfBoundsException if the range is not inside the region
     * @throws IllegalStateException if this is closed, or the GPU is too busy to copy the memory to a new mirror in
     *     time
     */
    public void publish(long offset, long size, CudaStream stream) {
        Objects.checkFromIndexSize(offset, size, length());
        requireOpen();
        if (direct == null && size > 0) {
            stream.copyToHost(mirror().host(), offset, memory.memory(), memory.offset() + offset, size);
        }
    }

    /**
     * Makes everything that the adapter had written before this call visible to later work of the stream. On the staged
     * path, queues a copy from the mirror. On a direct path, flushes the adapter's writes if the GPU does not order
     * them itself.
     *
     * <p>Name only the bytes that the adapter has written: on the staged path, the whole range is copied. Other bytes
     * return to the state in which they were last published, or in which the mirror was created. The mirror must not be
     * written again until the copy is complete.
     *
     * @param offset of the first byte, from the start of this region
     * @param size in bytes
     * @param stream whose later work reads the bytes
     * @throws IndexOutOfBoundsException if the range is not inside the region
     * @throws IllegalStateException if this is closed, or the stream is being captured and the writes must be flushed:
     *     the host flushes now, and not at each launch of the graph
     */
    public void absorb(long offset, long size, CudaStream stream) {
        Objects.checkFromIndexSize(offset, size, length());
        requireOpen();
        if (size == 0) {
            return;
        }
        if (direct == null) {
            stream.copyToDevice(memory.memory(), memory.offset() + offset, mirror().host(), offset, size);
        } else if (needsFlush()) {
            if (stream.isCaptured()) {
                throw new IllegalStateException("absorb() while " + stream + " is being captured: " + this
                        + " needs a flush by the host, which no graph repeats. Absorb before each launch, or"
                        + " let the stream flush (MemoryOperations.flushRemoteWrites)");
            }
            flushAdapterWrites();
        }
    }

    /**
     * The completion of the Data Direct engine uses another PCI path, so the GPU does not order it after the engine's
     * writes.
     */
    private boolean needsFlush() {
        return owner.writeOrdering() == WriteOrdering.FLUSHED_BY_HOST || path() == GpuPath.DATA_DIRECT;
    }

    /** On a direct path: makes completed writes of the adapter visible to kernels that start later. */
    void flushAdapterWrites() {
        if (needsFlush()) {
            owner.context().flushGpuDirectWrites(FlushScope.OWNER);
        }
    }

    GpuDirect owner() {
        return owner;
    }

    boolean allows(AccessFlag flag) {
        return List.of(access).contains(flag);
    }

    private StagedMirror mirror() {
        StagedMirror existing = mirror.get();
        return existing != null ? existing : makeMirror();
    }

    /**
     * Takes no lock: the driver and the adapter have locks of their own, which a close takes in another order.
     */
    private StagedMirror makeMirror() {
        StagedMirror made =
                StagedMirror.make(segment -> owner.protectionDomain().registerMemory(segment, access), memory);
        StagedMirror first = mirror.compareAndExchange(null, made);
        if (first != null) {
            made.close();
            return first;
        }
        if (closed) {
            closeMirror();
            requireOpen();
        }
        return made;
    }

    private void closeMirror() {
        StagedMirror last = mirror.get();
        if (last != null) {
            last.close();
            mirror.compareAndSet(last, null);
        }
    }

    /** {@return whether neither this region nor its memory has been closed} */
    public boolean isOpen() {
        return !closed && (direct == null || direct.isOpen());
    }

    private void requireOpen() {
        if (!isOpen()) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    /**
     * Deregisters the memory and frees the mirror; the device memory stays allocated. Copies to and from the mirror
     * must be complete.
     *
     * @throws io.github.rdma4j.verbs.VerbsException if the adapter refuses; a later close tries again
     */
    @Override
    public void close() {
        // Also waits for a concurrent close: the device memory must not be freed before that one has ended.
        if (direct != null) {
            direct.close();
        }
        directBytesOfGpu.addAndGet(-directBytes.getAndSet(0));
        closed = true;
        closeMirror();
        memory.memory().removeDependent(this);
    }

    /** {@return the path and the memory} */
    @Override
    public String toString() {
        return "%s region of %s".formatted(path(), memory);
    }
}
