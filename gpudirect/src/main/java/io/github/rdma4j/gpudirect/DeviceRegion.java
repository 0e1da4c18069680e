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
 * Device memory that an adapter can use. On a direct path the adapter reads and writes it; on the staged path it reads
 * and writes pinned host memory of the same length, a mirror, which is made when it is first needed. {@link #publish}
 * and {@link #absorb} make a program correct on both:
 *
 * <ul>
 *   <li>before the adapter reads what kernels have written: {@code publish}, then wait until the stream has come this
 *   far, then post, or notify the peer;
 *   <li>before a kernel reads what the adapter has written: wait for the completion, or the peer's word, then
 *   {@code absorb}, then launch the kernel on the same stream.
 * </ul>
 *
 * <p>It is closed with its device memory at the latest; close it before the protection domain's end.
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
    /** Null until it is needed, and on a direct path. */
    private final AtomicReference<StagedMirror> mirror = new AtomicReference<>();

    /** What it has of the GPU's window, until it is closed; 0 on the staged path. */
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

    /** {@return how the bytes travel} */
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

    /** {@return the bytes of it} */
    public long length() {
        return memory.length();
    }

    /**
     * Returns whether synchronous copies and fills of the memory (by {@link io.github.rdma4j.cuda.DeviceMemory}) are
     * also complete for the adapter when they return ({@code SYNC_MEMOPS}).
     *
     * @return false with memory of the virtual-memory API before CUDA 12.1: copy on a stream then, and wait for it
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
     * @throws IllegalStateException if this is closed, or the GPU does not come to copy what it has to the mirror
     * @throws io.github.rdma4j.cuda.OutOfDeviceMemoryException if the mirror cannot be pinned
     * @throws io.github.rdma4j.verbs.VerbsException if the mirror cannot be registered
     */
    public MemoryRegion memoryRegion() {
        requireOpen();
        return direct != null ? direct : mirror().region();
    }

    /**
     * A part of {@link #memoryRegion()}, for work requests.
     *
     * @param offset from the start of this, in bytes
     * @param size in bytes
     * @return the part
     * @throws IndexOutOfBoundsException if it does not lie within
     */
    public MemorySlice slice(long offset, long size) {
        return memoryRegion().slice(offset, size);
    }

    /** {@return all of {@link #memoryRegion()}, for work requests} */
    public MemorySlice slice() {
        return memoryRegion().slice();
    }

    /** {@return the memory as a peer names it, a value to send there; on the staged path, of the mirror} */
    public RemoteMemory remoteMemory() {
        return memoryRegion().remoteMemory();
    }

    /**
     * Has the adapter see, once the stream has come this far, what the stream's work before has written: on the staged
     * path a copy to the mirror is queued, on a direct one nothing is needed.
     *
     * @param offset of the first byte, from the start of this
     * @param size in bytes
     * @param stream whose work wrote it, or waits for it
     * @throws IndexOutOfBoundsException if it does not lie within
     * @throws IllegalStateException if this is closed, or the GPU does not come to copy what it has to a new mirror
     */
    public void publish(long offset, long size, CudaStream stream) {
        Objects.checkFromIndexSize(offset, size, length());
        requireOpen();
        if (direct == null && size > 0) {
            stream.copyToHost(mirror().host(), offset, memory.memory(), memory.offset() + offset, size);
        }
    }

    /**
     * Has the stream's work after this see what the adapter had written when this was called: on the staged path a copy
     * from the mirror is queued, on a direct one the adapter's writes are flushed where the GPU does not order them
     * itself.
     *
     * <p>Name what the adapter has written, and no more: on the staged path all of the part is copied. Bytes that the
     * adapter has not written come out as they were when they were last published, or when the mirror was made. The
     * mirror must not be written again until the copy is done.
     *
     * @param offset of the first byte, from the start of this
     * @param size in bytes
     * @param stream whose later work reads it
     * @throws IndexOutOfBoundsException if it does not lie within
     * @throws IllegalStateException if this is closed, or the stream is being captured and the writes must be flushed:
     *     the host does that now, and not at each launch of the graph
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

    /** The completion comes by the adapter's own way, which the GPU does not order with the engine's. */
    private boolean needsFlush() {
        return owner.writeOrdering() == WriteOrdering.FLUSHED_BY_HOST || path() == GpuPath.DATA_DIRECT;
    }

    /** For a direct path: kernels that start later then see the completed writes of the adapter. */
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
     * Without a lock: the driver's and the adapter's own are taken within, in whatever order a close elsewhere takes
     * them.
     */
    private StagedMirror makeMirror() {
        StagedMirror made = StagedMirror.make(owner.protectionDomain(), memory, access);
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

    /** {@return whether {@link #close()} has not been called yet, on this or on what it lies in} */
    public boolean isOpen() {
        return !closed && (direct == null || direct.isOpen());
    }

    private void requireOpen() {
        if (!isOpen()) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    /**
     * Deregisters the memory, and frees the mirror if there is one; the device memory stays. Copies to and from the
     * mirror must be done.
     *
     * @throws io.github.rdma4j.verbs.VerbsException if the adapter refuses; closing again tries again
     */
    @Override
    public void close() {
        // A second closer waits here for the first: the device memory must not be freed before.
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
