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
 * Memory of a device. Its copies and fills are complete when they return. They do not wait for streams that still use
 * the memory, and an interrupt does not end them. {@link CudaStream} has queued copies and fills.
 *
 * <p>Thread safety: all methods may be called from any thread. If two threads access the same bytes, the caller must
 * order them.
 *
 * @since 0.1.0
 */
public final class DeviceMemory extends GuardedResource implements DeviceAddressable {
    /** The origin of the memory, which decides its capabilities. */
    public enum Kind {
        /** {@link CudaContext#allocate}. */
        ALLOCATED,
        /** {@link CudaContext#allocateGpuDirect}, or other memory of the virtual-memory API. */
        VIRTUAL,
        /** {@link CudaContext#allocateManaged}. It migrates, so an adapter cannot pin it. */
        MANAGED,
        /** Memory of a pool: {@link CudaStream#allocate}. */
        POOL,
        /** Memory of another process ({@link IpcMemoryHandle#open}). */
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

    /** Memory that is closed with another object than its context. */
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

    /** {@return the origin of the memory} */
    public Kind kind() {
        return kind;
    }

    /** {@return whether its kind permits access by other PCI devices; the machine may still lack support} */
    public boolean isGpuDirectCapable() {
        return gpuDirectCapable;
    }

    /**
     * Returns a slice of this memory.
     *
     * @param offset of the first byte
     * @param length in bytes
     * @return the slice; small and immutable
     * @throws IndexOutOfBoundsException if the range is not inside the memory
     */
    public DeviceSlice slice(long offset, long length) {
        return new DeviceSlice(this, offset, length);
    }

    /** {@return a slice with all of this memory} */
    public DeviceSlice slice() {
        return new DeviceSlice(this, 0, size);
    }

    /**
     * Copies host memory to the start of this memory (cuMemcpyHtoD).
     *
     * @param source native memory, at most as long as this memory
     */
    public void copyFrom(MemorySegment source) {
        copyFrom(0, source);
    }

    /**
     * Copies host memory into this memory (cuMemcpyHtoD).
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
     * Copies the start of this memory to host memory (cuMemcpyDtoH).
     *
     * @param target native memory, at most as long as this memory
     */
    public void copyTo(MemorySegment target) {
        copyTo(0, target);
    }

    /**
     * Copies a part of this memory to host memory (cuMemcpyDtoH).
     *
     * @param offset of the first byte that is read
     * @param target native memory
     * @throws IndexOutOfBoundsException if this memory is too short
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
     * @param offset of the first byte
     * @param length the number of bytes
     * @param value of each
     * @throws IndexOutOfBoundsException if the range is not inside the memory
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
     * @throws IndexOutOfBoundsException if the range is not inside the memory
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
     * Makes synchronous copies and fills of this memory complete when they return, also for other PCI devices
     * ({@code CU_POINTER_ATTRIBUTE_SYNC_MEMOPS}).
     *
     * @throws UnsupportedCudaCallException for memory without this attribute, in particular memory of the
     *     virtual-memory API; {@link CudaContext#synchronizeMemoryOperations} sets it for all memory
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
     * @return the dma-buf, which covers whole pages, and the offset of the part in it
     * @throws IndexOutOfBoundsException if the range is not inside the memory
     * @throws UnsupportedCudaCallException before CUDA 11.7, or if the device has no
     *     {@link DeviceAttribute#DMA_BUF_SUPPORTED}
     * @throws CudaException if the driver does not export this memory: managed memory, for instance
     */
    public DmaBuf exportDmaBuf(long offset, long length) {
        return exportDmaBuf(offset, length, DmaBuf.Mapping.DEFAULT);
    }

    /**
     * Exports a part as a dma-buf, with a choice of the path by which other devices access it.
     *
     * @param offset of the first byte
     * @param length in bytes, 1 or more
     * @param mapping the path
     * @return the dma-buf, which covers whole pages, and the offset of the part in it
     * @throws IndexOutOfBoundsException if the range is not inside the memory
     * @throws UnsupportedCudaCallException as for {@link #exportDmaBuf(long, long)}, or if the driver does not support
     *     the path
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
     * Returns a handle with which another process on this machine opens this memory (cuIpcGetMemHandle). Close the
     * memory only after all these processes have closed theirs: otherwise the driver's behaviour is undefined.
     *
     * @return the handle, to be sent to the other process
     * @throws UnsupportedCudaCallException if this memory is not from {@link CudaContext#allocate}, or the device has
     *     no such handles
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
     * Waits for the default stream. The driver returns from fills, and from copies of pageable memory and within the
     * device, before they are complete. They run in the default stream, for which our streams do not wait: a kernel
     * that is launched next would read old bytes.
     */
    private static int completed(int result) {
        return result == Results.SUCCESS ? StreamCalls.synchronize(DEFAULT_STREAM) : result;
    }

    private static void requireNative(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("only native memory can be copied to and from a device, but " + segment
                    + " is on the heap; allocate it from an Arena or from CudaContext.allocateHost");
        }
    }

    /** Whether another library frees it. */
    boolean isForeign() {
        return freeing == Freeing.NOTHING;
    }

    /** Closes it in stream order. If the driver refuses, it is open again. */
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

    /** {@return the kind, the address and the size} */
    @Override
    public String toString() {
        return "device memory 0x%x, %d bytes, %s, of %s".formatted(pointer, size, kind, context());
    }
}
