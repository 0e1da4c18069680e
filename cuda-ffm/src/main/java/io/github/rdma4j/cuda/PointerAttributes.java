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
 * @param type the type of the memory
 * @param context the {@code CUcontext}; 0 for memory of pools and of the virtual-memory API, which no context owns
 * @param deviceOrdinal the device's number; -1 if unknown
 * @param isManaged whether it is managed memory
 * @param isOfPool whether it is of a memory pool
 * @param isPlain whether it was made by cuMemAlloc or cudaMalloc
 * @param isGpuDirectCapable whether the allocation permits access by other PCI devices
 * @param rangeStart the start of the allocation, or of the mapping for virtual memory; 0 if unknown
 * @param rangeSize the size in bytes of that range; 0 if unknown
 * @param bufferId identifies this allocation in the process, even after another one reuses the address; 0 if unknown
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
    /** The type of the memory at a pointer. */
    public enum Type {
        /** Unknown to CUDA: ordinary host memory, freed memory, or no memory. */
        UNKNOWN,
        /** Pinned host memory. */
        HOST,
        /** Device memory, including managed memory. */
        DEVICE
    }

    static PointerAttributes of(long address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(ValueLayout.JAVA_LONG);
            int type = (int) query(data, CudaHeaders.CU_POINTER_ATTRIBUTE_MEMORY_TYPE(), address, 0);
            // A part of a reservation without physical memory may also have a type.
            if (type == 0 || query(data, CudaHeaders.CU_POINTER_ATTRIBUTE_MAPPED(), address, 1) == 0) {
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
                    query(data, CudaHeaders.CU_POINTER_ATTRIBUTE_CONTEXT(), address, 0),
                    (int) query(data, CudaHeaders.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL(), address, 0xffff_ffffL),
                    queryBoolean(data, CudaHeaders.CU_POINTER_ATTRIBUTE_IS_MANAGED(), address),
                    query(data, CudaHeaders.CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE(), address, 0) != 0,
                    queryBoolean(data, CudaHeaders.CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE(), address),
                    queryBoolean(data, CudaHeaders.CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE(), address),
                    start.get(ValueLayout.JAVA_LONG, 0),
                    size.get(ValueLayout.JAVA_LONG, 0),
                    query(data, CudaHeaders.CU_POINTER_ATTRIBUTE_BUFFER_ID(), address, 0));
        }
    }

    /** Returns the kind of device memory at the pointer. */
    DeviceMemory.Kind kind() {
        if (isManaged) {
            return DeviceMemory.Kind.MANAGED;
        }
        if (isOfPool) {
            return DeviceMemory.Kind.POOL;
        }
        return isPlain ? DeviceMemory.Kind.ALLOCATED : DeviceMemory.Kind.VIRTUAL;
    }

    private static boolean queryBoolean(MemorySegment data, int attribute, long address) {
        // The driver writes some attributes as one byte, others as an int.
        return (query(data, attribute, address, 0) & 0xff) != 0;
    }

    /** Returns the given value if the driver does not know the attribute for this pointer. */
    private static long query(MemorySegment data, int attribute, long address, long unknown) {
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
