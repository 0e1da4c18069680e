// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.MemoryCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The driver's attributes of a pointer (cuPointerGetAttribute, cuMemGetAddressRange).
 *
 * @param type whose memory it is
 * @param context the {@code CUcontext}; 0 if none owns it: memory of pools and of the virtual-memory API
 * @param deviceOrdinal the device's number; -1 if unknown
 * @param isManaged whether it is managed memory
 * @param isOfPool whether it is of a memory pool
 * @param isPlain whether it was made by cuMemAlloc or cudaMalloc
 * @param isGpuDirectCapable whether other PCI devices may reach it, as far as the allocation decides it
 * @param rangeStart the start of the allocation, or of the mapping for virtual memory; 0 if unknown
 * @param rangeSize its bytes; 0 if unknown
 * @param bufferId identifies this allocation in the process, also after another one reuses the address; 0 if unknown
 * @since 0.1.0
 */
public record PointerAttributes(
        Type type,
        long context,
        int deviceOrdinal,
        boolean isManaged,
        boolean isOfPool,
        boolean isPlain,
        boolean isGpuDirectCapable,
        long rangeStart,
        long rangeSize,
        long bufferId) {
    /** Whose memory a pointer leads to. */
    public enum Type {
        /** CUDA does not know it: ordinary host memory, freed memory, or nothing. */
        UNKNOWN,
        /** Pinned host memory. */
        HOST,
        /** A device's, managed memory included. */
        DEVICE
    }

    static PointerAttributes of(long address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(ValueLayout.JAVA_LONG);
            int type = (int) ask(data, CudaHeaders.CU_POINTER_ATTRIBUTE_MEMORY_TYPE(), address, 0);
            // A part of a reservation that has no memory behind it may have a type nevertheless.
            if (type == 0 || ask(data, CudaHeaders.CU_POINTER_ATTRIBUTE_MAPPED(), address, 1) == 0) {
                return new PointerAttributes(Type.UNKNOWN, 0, -1, false, false, false, false, 0, 0, 0);
            }
            // The attributes RANGE_START_ADDR and RANGE_SIZE would describe the whole reservation, including holes.
            MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment start = arena.allocate(ValueLayout.JAVA_LONG);
            int result = MemoryCalls.getAddressRange(start, size, address);
            if (result != CudaHeaders.CUDA_ERROR_NOT_FOUND() && result != CudaHeaders.CUDA_ERROR_INVALID_VALUE()) {
                Results.check(result, "cuMemGetAddressRange(0x%x)", address);
            }
            return new PointerAttributes(
                    type == CudaHeaders.CU_MEMORYTYPE_HOST() ? Type.HOST : Type.DEVICE,
                    ask(data, CudaHeaders.CU_POINTER_ATTRIBUTE_CONTEXT(), address, 0),
                    (int) ask(data, CudaHeaders.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL(), address, 0xffff_ffffL),
                    askBoolean(data, CudaHeaders.CU_POINTER_ATTRIBUTE_IS_MANAGED(), address),
                    ask(data, CudaHeaders.CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE(), address, 0) != 0,
                    askBoolean(data, CudaHeaders.CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE(), address),
                    askBoolean(data, CudaHeaders.CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE(), address),
                    start.get(ValueLayout.JAVA_LONG, 0),
                    size.get(ValueLayout.JAVA_LONG, 0),
                    ask(data, CudaHeaders.CU_POINTER_ATTRIBUTE_BUFFER_ID(), address, 0));
        }
    }

    /** The kind of the memory behind a device pointer. */
    DeviceMemory.Kind kind() {
        if (isManaged) {
            return DeviceMemory.Kind.MANAGED;
        }
        if (isOfPool) {
            return DeviceMemory.Kind.POOL;
        }
        return isPlain ? DeviceMemory.Kind.ALLOCATED : DeviceMemory.Kind.VIRTUAL;
    }

    private static boolean askBoolean(MemorySegment data, int attribute, long address) {
        // Some are written as one byte, some as an int.
        return (ask(data, attribute, address, 0) & 0xff) != 0;
    }

    /** What is not known of this pointer, or not to this driver, is the value given. */
    private static long ask(MemorySegment data, int attribute, long address, long unknown) {
        data.set(ValueLayout.JAVA_LONG, 0, 0);
        int result = MemoryCalls.pointerGetAttribute(data, attribute, address);
        if (result == CudaHeaders.CUDA_ERROR_INVALID_VALUE() || result == CudaHeaders.CUDA_ERROR_NOT_SUPPORTED()) {
            return unknown;
        }
        if (result != Results.SUCCESS) {
            throw Results.failure(result, "cuPointerGetAttribute(attribute=%d, 0x%x)".formatted(attribute, address));
        }
        return data.get(ValueLayout.JAVA_LONG, 0);
    }
}
