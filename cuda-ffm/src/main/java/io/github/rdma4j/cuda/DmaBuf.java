// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.FileDescriptors;
import io.github.rdma4j.cuda.internal.MemoryCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Set;

/**
 * A part of device memory as a dma-buf, by which another driver of the kernel reaches it. It may be closed once the
 * other driver has it.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class DmaBuf implements AutoCloseable {
    /** By which way another device is to reach the memory. */
    public enum Mapping {
        /** As the driver has it. */
        DEFAULT,
        /**
         * Over PCI Express, also where the GPU and its processor are joined by another link
         * ({@code CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE}): for an adapter with a way over PCI of its own. From
         * CUDA 12.8 on.
         */
        PCIE
    }

    private static final int FIRST_WITH_PCIE = 12080;

    private static final Set<DeviceMemory.Kind> EXPORTABLE =
            EnumSet.of(DeviceMemory.Kind.ALLOCATED, DeviceMemory.Kind.VIRTUAL);

    private final int fileDescriptor;
    private final long offset;
    private final long length;
    private final long start;
    private boolean closed;

    private DmaBuf(int fileDescriptor, long start, long offset, long length) {
        this.fileDescriptor = fileDescriptor;
        this.start = start;
        this.offset = offset;
        this.length = length;
    }

    /** What is exported starts and ends where pages of the host do. */
    static DmaBuf export(DeviceMemory memory, long address, long length, Mapping mapping) {
        CudaDevice device = memory.context().device();
        if (length < 1) {
            throw new IllegalArgumentException("a dma-buf of " + length + " bytes; 1 is the least");
        }
        long page = FileDescriptors.pageSize();
        long start = address & -page;
        long size = (address + length + page - 1 & -page) - start;
        String call = "cuMemGetHandleForAddressRange(address=0x%x, size=%d, DMA_BUF_FD%s)"
                .formatted(start, size, mapping == Mapping.PCIE ? ", PCIE" : "");
        if (mapping == Mapping.PCIE && Cuda.driverVersion().number() < FIRST_WITH_PCIE) {
            throw new UnsupportedCudaCallException(
                    call, "the driver is of CUDA %s; that mapping came with 12.8".formatted(Cuda.driverVersion()));
        }
        if (!device.has(DeviceAttribute.DMA_BUF_SUPPORTED)) {
            throw new UnsupportedCudaCallException(
                    call,
                    device
                            + " cannot export dma-bufs: that takes the open kernel modules of driver 515 or later, and"
                            + " CUDA 11.7");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocateFrom(ValueLayout.JAVA_INT, -1);
            int result = MemoryCalls.getHandleForAddressRange(
                    handle, start, size, CudaHeaders.CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD(), flags(mapping));
            if (result == CudaHeaders.CUDA_ERROR_NOT_SUPPORTED()) {
                throw new UnsupportedCudaCallException(call, "the driver cannot export " + memory);
            }
            if (result == CudaHeaders.CUDA_ERROR_INVALID_VALUE() && EXPORTABLE.contains(memory.kind())) {
                throw Diagnosis.of(result, call, memory);
            }
            if (result != Results.SUCCESS) {
                throw Results.failure(
                        result,
                        call,
                        EXPORTABLE.contains(memory.kind())
                                ? ""
                                : ("memory of kind %s has no dma-buf; memory of CudaContext.allocate and"
                                                + " allocateGpuDirect has")
                                        .formatted(memory.kind()));
            }
            return new DmaBuf(handle.get(ValueLayout.JAVA_INT, 0), start, address - start, length);
        }
    }

    private static long flags(Mapping mapping) {
        return mapping == Mapping.PCIE ? CudaHeaders.CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE() : 0;
    }

    /**
     * The file descriptor.
     *
     * @return it, until this is closed
     * @throws IllegalStateException if this is closed
     */
    public synchronized int fileDescriptor() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
        return fileDescriptor;
    }

    /** {@return where in the dma-buf the part starts: less than a page} */
    public long offset() {
        return offset;
    }

    /** {@return the bytes of the part} */
    public long length() {
        return length;
    }

    /** {@return the device address at which the dma-buf starts} */
    public long startAddress() {
        return start;
    }

    /** Closes the file descriptor. Imports of it by other drivers stay. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            FileDescriptors.close(fileDescriptor);
        }
    }

    /** {@return file descriptor, offset and length} */
    @Override
    public String toString() {
        return "dma-buf %d, %d bytes from %d".formatted(fileDescriptor, length, offset);
    }
}
