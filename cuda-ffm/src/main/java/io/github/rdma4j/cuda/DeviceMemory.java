// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.CopyCalls;
import io.github.rdma4j.cuda.internal.MemoryCalls;
import io.github.rdma4j.cuda.internal.Results;
import io.github.rdma4j.cuda.internal.StreamCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Memory of a device. Its copies and fills are done when they return. They do not wait for streams that still use the
 * memory, and an interrupt does not end them. {@link CudaStream} has copies and fills that are queued.
 *
 * <p>Thread safety: all methods may be called from any thread; two that touch the same bytes need an order of the
 * caller's making.
 *
 * @since 0.1.0
 */
public final class DeviceMemory extends GuardedResource implements DeviceAddressable {
    /** Where the memory comes from, which decides what can be done with it. */
    public enum Kind {
        /** {@link CudaContext#allocate}. */
        ALLOCATED,
        /** {@link CudaContext#allocateGpuDirect}, or somebody else's of the virtual-memory API. */
        VIRTUAL,
        /** {@link CudaContext#allocateManaged}: it moves, so no adapter can hold on to it. */
        MANAGED,
        /** Of a memory pool: {@link CudaStream#allocate}. */
        POOL,
        /** Another process's ({@link IpcMemoryHandle#open}). */
        IPC,
        /** A variable of a module ({@link CudaModule#global}). */
        GLOBAL
    }

    private static final long DEFAULT_STREAM = 0;

    private final long size;
    private final Kind kind;
    private final boolean gpuDirectCapable;
    private final Freeing freeing;

    DeviceMemory(CudaContext context, long address, long size, Kind kind, boolean gpuDirectCapable, Freeing freeing) {
        this(context, context, address, size, kind, gpuDirectCapable, freeing);
    }

    /** One that is closed with another one than its context. */
    DeviceMemory(
            CudaResource parent,
            CudaContext context,
            long address,
            long size,
            Kind kind,
            boolean gpuDirectCapable,
            Freeing freeing) {
        super(parent, context, address);
        this.size = size;
        this.kind = kind;
        this.gpuDirectCapable = gpuDirectCapable;
        this.freeing = freeing;
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
        long length = source.byteSize();
        Ranges.check(offset, length, size, this);
        enter();
        try {
            context().bind();
            int result = completed(CopyCalls.toDevice(pointer + offset, source, length));
            if (result != Results.SUCCESS) {
                throw Diagnosis.of(
                        result, "cuMemcpyHtoD(target=0x%x, length=%d)".formatted(pointer + offset, length), this);
            }
        } finally {
            exit();
        }
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
        long length = target.byteSize();
        Ranges.check(offset, length, size, this);
        enter();
        try {
            context().bind();
            int result = CopyCalls.toHost(target, pointer + offset, length);
            if (result != Results.SUCCESS) {
                throw Diagnosis.of(
                        result, "cuMemcpyDtoH(source=0x%x, length=%d)".formatted(pointer + offset, length), this);
            }
        } finally {
            exit();
        }
    }

    /**
     * Copies device memory, of this or of another device (cuMemcpyDtoD, cuMemcpyPeer).
     *
     * @param offset of the first byte that is written
     * @param source what is copied
     * @throws IndexOutOfBoundsException if it does not fit
     */
    public void copyFrom(long offset, DeviceSlice source) {
        DeviceMemory from = source.memory();
        Ranges.check(offset, source.length(), size, this);
        enter();
        try {
            from.enter();
            try {
                context().bind();
                int result = completed(copy(pointer + offset, from, from.pointer + source.offset(), source.length()));
                if (result != Results.SUCCESS) {
                    String call = (context() == from.context() ? "cuMemcpyDtoD" : "cuMemcpyPeer")
                            + "(target=0x%x, source=0x%x, length=%d)"
                                    .formatted(pointer + offset, from.pointer + source.offset(), source.length());
                    throw Diagnosis.of(result, call, this, from);
                }
            } finally {
                from.exit();
            }
        } finally {
            exit();
        }
    }

    private int copy(long to, DeviceMemory source, long from, long length) {
        long mine = context().handle();
        long other = source.context().handle();
        return mine == other ? CopyCalls.onDevice(to, from, length) : CopyCalls.peer(to, mine, from, other, length);
    }

    /**
     * Sets bytes (cuMemsetD8).
     *
     * @param offset of the first
     * @param length how many
     * @param value of each
     * @throws IndexOutOfBoundsException if they do not lie within
     */
    public void fill(long offset, long length, byte value) {
        Ranges.check(offset, length, size, this);
        enter();
        try {
            context().bind();
            int result = completed(CopyCalls.fill8(pointer + offset, value, length));
            if (result != Results.SUCCESS) {
                throw Diagnosis.of(
                        result, "cuMemsetD8(target=0x%x, length=%d)".formatted(pointer + offset, length), this);
            }
        } finally {
            exit();
        }
    }

    /**
     * Sets 32-bit words (cuMemsetD32).
     *
     * @param offset of the first byte; a multiple of 4
     * @param count how many words
     * @param value of each, in the byte order of the host
     * @throws IndexOutOfBoundsException if they do not lie within
     */
    public void fillWords(long offset, long count, int value) {
        Ranges.checkWords(offset, count, this);
        enter();
        try {
            context().bind();
            int result = completed(CopyCalls.fill32(pointer + offset, value, count));
            if (result != Results.SUCCESS) {
                throw Diagnosis.of(
                        result, "cuMemsetD32(target=0x%x, count=%d)".formatted(pointer + offset, count), this);
            }
        } finally {
            exit();
        }
    }

    /**
     * Has synchronous copies and fills of this memory ended, also for other PCI devices, when they return
     * ({@code CU_POINTER_ATTRIBUTE_SYNC_MEMOPS}).
     *
     * @throws UnsupportedCudaCallException for memory that has no such attribute, in particular memory of the
     *     virtual-memory API; {@link CudaContext#synchronizeMemoryOperations} does it for all memory
     */
    public void synchronizeMemoryOperations() {
        enter();
        try (Arena arena = Arena.ofConfined()) {
            context().bind();
            int result = MemoryCalls.pointerSetAttribute(
                    arena.allocateFrom(ValueLayout.JAVA_INT, 1),
                    CudaHeaders.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS(),
                    pointer);
            if (result == Results.SUCCESS) {
                return;
            }
            String call = "cuPointerSetAttribute(SYNC_MEMOPS, 0x%x)".formatted(pointer);
            if (result == CudaHeaders.CUDA_ERROR_NOT_SUPPORTED()
                    || kind != Kind.ALLOCATED && result == CudaHeaders.CUDA_ERROR_INVALID_VALUE()) {
                throw new UnsupportedCudaCallException(call, "memory of kind " + kind + " has no such attribute");
            }
            throw Diagnosis.of(result, call, this);
        } finally {
            exit();
        }
    }

    /**
     * Exports a part as a dma-buf, for an adapter's driver (cuMemGetHandleForAddressRange).
     *
     * @param offset of the first byte
     * @param length in bytes, 1 or more
     * @return the dma-buf, which covers whole pages, and where the part lies in it
     * @throws IndexOutOfBoundsException if the part does not lie within
     * @throws UnsupportedCudaCallException before CUDA 11.7, or if the device has no
     *     {@link DeviceAttribute#DMA_BUF_SUPPORTED}
     * @throws CudaException if the driver does not export this memory: managed memory, for instance
     */
    public DmaBuf exportDmaBuf(long offset, long length) {
        return exportDmaBuf(offset, length, DmaBuf.Mapping.DEFAULT);
    }

    /**
     * Exports a part as a dma-buf that another device reaches by a way of one's choice.
     *
     * @param offset of the first byte
     * @param length in bytes, 1 or more
     * @param mapping the way
     * @return the dma-buf, which covers whole pages, and where the part lies in it
     * @throws IndexOutOfBoundsException if the part does not lie within
     * @throws UnsupportedCudaCallException as {@link #exportDmaBuf(long, long)}, or if the driver lacks the way
     * @throws CudaException if this memory cannot be exported
     */
    public DmaBuf exportDmaBuf(long offset, long length, DmaBuf.Mapping mapping) {
        Ranges.check(offset, length, size, this);
        enter();
        try {
            context().bind();
            return DmaBuf.export(this, pointer + offset, length, mapping);
        } finally {
            exit();
        }
    }

    /**
     * A handle by which another process on this machine reaches this memory (cuIpcGetMemHandle). Close the memory only
     * when all of them have closed theirs: what the driver does otherwise is undefined.
     *
     * @return the handle, to be sent to them
     * @throws UnsupportedCudaCallException if this memory was not made by {@link CudaContext#allocate}, or the device
     *     has no such handles
     */
    public IpcMemoryHandle exportHandle() {
        enter();
        try {
            context().bind();
            return IpcMemory.export(this);
        } finally {
            exit();
        }
    }

    /**
     * The driver returns from copies of pageable memory and within the device, and from fills, before they are done,
     * and our streams do not wait for the default stream, which does them: a kernel launched next would find old bytes.
     */
    private static int completed(int result) {
        return result == Results.SUCCESS ? StreamCalls.synchronize(DEFAULT_STREAM) : result;
    }

    private static void requireNative(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("only native memory can be copied to and from a device, and " + segment
                    + " is on the heap; allocate it from an Arena or from CudaContext.allocateHost");
        }
    }

    /** Whether somebody else frees it. */
    boolean isForeign() {
        return freeing == Freeing.NOTHING;
    }

    /** Closes it, in the order of a stream. If the driver refuses that, it is open as before. */
    void closeOn(CudaStream stream) {
        closeBy(() -> {
            stream.enter();
            try {
                context().bind();
                Results.check(MemoryCalls.freeAsync(pointer, stream.pointer), "cuMemFreeAsync(address=0x%x)", pointer);
            } finally {
                stream.exit();
            }
        });
    }

    @Override
    boolean isUsedByWork() {
        return !isForeign();
    }

    @Override
    void release() {
        freeing.free();
    }

    @Override
    boolean isIncomplete() {
        return freeing.isIncomplete();
    }

    /** {@return kind, address and size} */
    @Override
    public String toString() {
        return "device memory 0x%x, %d bytes, %s, of %s".formatted(pointer, size, kind, context());
    }
}
