// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.CopyCalls;
import io.github.rdma4j.cuda.internal.MemoryCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Memory of a device. The copies here return when they are done; those of {@link CudaStream} are queued.
 *
 * <p>Thread safety: all methods may be called from any thread; two that touch the same bytes need an order of the caller's making.
 */
public final class DeviceMemory extends CudaResource implements DeviceAddressable {
    /** Where the memory comes from, which decides what can be done with it. */
    public enum Kind {
        /** {@link CudaContext#allocate}. */
        ALLOCATED,
        /** {@link CudaContext#allocateGpuDirect}, or somebody else's of the virtual-memory API. */
        VIRTUAL,
        /** {@link CudaContext#allocateManaged}: it moves, so no adapter can hold on to it. */
        MANAGED,
        /** Of a memory pool ({@code cuMemAllocAsync}). */
        POOL,
        /** Another process's. */
        IPC
    }

    private final CudaContext context;
    private final long address;
    private final long size;
    private final Kind kind;
    private final boolean gpuDirectCapable;
    private final Runnable free;

    DeviceMemory(CudaContext context, long address, long size, Kind kind, boolean gpuDirectCapable, Runnable free) {
        super(context);
        this.context = context;
        this.address = address;
        this.size = size;
        this.kind = kind;
        this.gpuDirectCapable = gpuDirectCapable;
        this.free = free;
    }

    @Override
    public CudaContext context() {
        return context;
    }

    @Override
    public long handle() {
        requireOpen();
        return address;
    }

    @Override
    public long deviceAddress() {
        return handle();
    }

    @Override
    public long size() {
        return size;
    }

    /** {@return where it comes from} */
    public Kind kind() {
        return kind;
    }

    /** {@return whether other PCI devices may reach it, as far as its kind decides it; the machine decides too} */
    public boolean isGpuDirectCapable() {
        return gpuDirectCapable;
    }

    /**
     * A part of it.
     *
     * @param offset of the first byte
     * @param length in bytes
     * @return the part; small and immutable
     * @throws IndexOutOfBoundsException if it does not lie within
     */
    public DeviceSlice slice(long offset, long length) {
        return new DeviceSlice(this, offset, length);
    }

    /** {@return all of it} */
    public DeviceSlice slice() {
        return new DeviceSlice(this, 0, size);
    }

    /**
     * Copies host memory to the start of this (cuMemcpyHtoD).
     *
     * @param source native memory, not longer than this
     */
    public void copyFrom(MemorySegment source) {
        copyFrom(0, source);
    }

    /**
     * Copies host memory into this (cuMemcpyHtoD).
     *
     * @param offset of the first byte that is written
     * @param source native memory
     * @throws IndexOutOfBoundsException if it does not fit
     */
    public void copyFrom(long offset, MemorySegment source) {
        requireNative(source);
        Objects.checkFromIndexSize(offset, source.byteSize(), size);
        requireOpen();
        context.makeCurrent();
        Results.check(
                CopyCalls.toDevice(address + offset, source, source.byteSize()),
                "cuMemcpyHtoD(target=0x%x, length=%d)".formatted(address + offset, source.byteSize()));
    }

    /**
     * Copies the start of this to host memory (cuMemcpyDtoH).
     *
     * @param target native memory, not longer than this
     */
    public void copyTo(MemorySegment target) {
        copyTo(0, target);
    }

    /**
     * Copies a part of this to host memory (cuMemcpyDtoH).
     *
     * @param offset of the first byte that is read
     * @param target native memory
     * @throws IndexOutOfBoundsException if this has not that many bytes
     */
    public void copyTo(long offset, MemorySegment target) {
        requireNative(target);
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("the target of the copy is read-only");
        }
        Objects.checkFromIndexSize(offset, target.byteSize(), size);
        requireOpen();
        context.makeCurrent();
        Results.check(
                CopyCalls.toHost(target, address + offset, target.byteSize()),
                "cuMemcpyDtoH(source=0x%x, length=%d)".formatted(address + offset, target.byteSize()));
    }

    /**
     * Copies device memory, of this or of another device (cuMemcpyDtoD, cuMemcpyPeer). Within one device the copy may still run when this
     * returns; later work of this context waits for it.
     *
     * @param offset of the first byte that is written
     * @param source what is copied
     * @throws IndexOutOfBoundsException if it does not fit
     */
    public void copyFrom(long offset, DeviceSlice source) {
        Objects.checkFromIndexSize(offset, source.length(), size);
        requireOpen();
        context.makeCurrent();
        CudaContext other = source.memory().context();
        String call = "copy on device (target=0x%x, source=0x%x, length=%d)"
                .formatted(address + offset, source.address(), source.length());
        Results.check(
                other.handle() == context.handle()
                        ? CopyCalls.onDevice(address + offset, source.address(), source.length())
                        : CopyCalls.peer(
                                address + offset, context.handle(), source.address(), other.handle(), source.length()),
                call);
    }

    /**
     * Sets bytes (cuMemsetD8). It may still run when this returns; later work of this context waits for it.
     *
     * @param offset of the first
     * @param length how many
     * @param value of each
     * @throws IndexOutOfBoundsException if they do not lie within
     */
    public void fill(long offset, long length, byte value) {
        Objects.checkFromIndexSize(offset, length, size);
        requireOpen();
        context.makeCurrent();
        Results.check(
                CopyCalls.fill8(address + offset, value, length),
                "cuMemsetD8(target=0x%x, length=%d)".formatted(address + offset, length));
    }

    /**
     * Has synchronous copies and fills of this memory ended, also for other PCI devices, when they return
     * ({@code CU_POINTER_ATTRIBUTE_SYNC_MEMOPS}).
     *
     * @throws UnsupportedCudaCallException for memory that has no such attribute, that of the virtual-memory API above all;
     *     {@link CudaContext#synchronizeMemoryOperations} does it for all memory
     */
    public void synchronizeMemoryOperations() {
        requireOpen();
        context.makeCurrent();
        try (Arena arena = Arena.ofConfined()) {
            int result = MemoryCalls.pointerSetAttribute(
                    arena.allocateFrom(ValueLayout.JAVA_INT, 1),
                    CudaHeaders.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS(),
                    address);
            String call = "cuPointerSetAttribute(SYNC_MEMOPS, 0x%x)".formatted(address);
            if (result == CudaHeaders.CUDA_ERROR_NOT_SUPPORTED()
                    || kind != Kind.ALLOCATED && result == CudaHeaders.CUDA_ERROR_INVALID_VALUE()) {
                throw new UnsupportedCudaCallException(call, "memory of kind " + kind + " has no such attribute");
            }
            Results.check(result, call);
        }
    }

    /**
     * Exports a part as a dma-buf, for an adapter's driver (cuMemGetHandleForAddressRange).
     *
     * @param offset of the first byte
     * @param length in bytes, 1 or more
     * @return the dma-buf, which covers whole pages, and where the part lies in it
     * @throws IndexOutOfBoundsException if the part does not lie within
     * @throws UnsupportedCudaCallException before CUDA 11.7, or if the device has no {@link DeviceAttribute#DMA_BUF_SUPPORTED}
     * @throws CudaException if this memory cannot be exported: it is managed, or of a pool
     */
    public DmaBuf exportDmaBuf(long offset, long length) {
        Objects.checkFromIndexSize(offset, length, size);
        requireOpen();
        context.makeCurrent();
        return DmaBuf.export(this, address + offset, length);
    }

    private static void requireNative(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("only native memory can be copied to and from a device, and " + segment
                    + " is on the heap; allocate it from an Arena or from CudaContext.allocateHost");
        }
    }

    @Override
    void release() {
        free.run();
    }

    /** {@return kind, address and size} */
    @Override
    public String toString() {
        return "device memory 0x%x, %d bytes, %s, of %s".formatted(address, size, kind, context);
    }
}
