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
 * A part of device memory as a dma-buf, through which another driver of the kernel accesses it. You may close it once
 * the other driver has imported it.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class DmaBuf implements AutoCloseable {
    /** The path by which another device accesses the memory. */
    public enum Mapping {
        /** The driver's default. */
        DEFAULT,
        /**
         * Over PCI Express, even if the GPU has another link to the CPU
         * ({@code CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE}): for an adapter with its own PCI path. From CUDA 12.8
         * on.
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

    /** Rounds the exported range to pages of the host. */
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
                    call, "the driver supports CUDA %s; this mapping needs CUDA 12.8".formatted(Cuda.driverVersion()));
        }
        if (!device.has(DeviceAttribute.DMA_BUF_SUPPORTED)) {
            throw new UnsupportedCudaCallException(
                    call,
                    device
                            + " cannot export dma-bufs: this needs the open kernel modules of driver 515 or later, and"
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
                                : ("memory of kind %s cannot be exported as a dma-buf; use memory of CudaContext.allocate or"
                                                + " allocateGpuDirect")
                                        .formatted(memory.kind()));
            }
            return new DmaBuf(handle.get(ValueLayout.JAVA_INT, 0), start, address - start, length);
        }
    }

    private static long flags(Mapping mapping) {
        return mapping == Mapping.PCIE ? CudaHeaders.CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE() : 0;
    }

    /**
     * Returns the file descriptor.
     *
     * @return the file descriptor, which is valid until this is closed
     * @throws IllegalStateException if this is closed
     */
    public synchronized int fileDescriptor() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
        return fileDescriptor;
    }

    /** {@return the offset of the part in the dma-buf: less than a page} */
    public long offset() {
        return offset;
    }

    /** {@return the length of the part in bytes} */
    public long length() {
        return length;
    }

    /** {@return the device address of the start of the dma-buf} */
    public long startAddress() {
        return start;
    }

    /** Closes the file descriptor. Imports by other drivers remain valid. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            FileDescriptors.close(fileDescriptor);
        }
    }

    /** {@return the file descriptor, the offset and the length} */
    @Override
    public String toString() {
        return "dma-buf %d, %d bytes from %d".formatted(fileDescriptor, length, offset);
    }
}
