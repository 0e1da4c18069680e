// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.DeviceMemory.Kind;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.MemoryCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The kinds of {@link DeviceMemory}, each with its checks and the call that frees it. The context is current. */
final class DeviceAllocations {
    private DeviceAllocations() {}

    static DeviceMemory plain(CudaContext context, long size) {
        requireSize(size);
        boolean direct = context.device().has(DeviceAttribute.GPU_DIRECT_RDMA_SUPPORTED);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ValueLayout.JAVA_LONG);
            check(MemoryCalls.alloc(address, size), "cuMemAlloc(size=%d)", size, context);
            long pointer = address.get(ValueLayout.JAVA_LONG, 0);
            return new DeviceMemory(context, pointer, size, Kind.ALLOCATED, direct, () -> free(pointer));
        }
    }

    static DeviceMemory managed(CudaContext context, long size) {
        requireSize(size);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ValueLayout.JAVA_LONG);
            check(
                    MemoryCalls.allocManaged(address, size, CudaHeaders.CU_MEM_ATTACH_GLOBAL()),
                    "cuMemAllocManaged(size=%d)",
                    size,
                    context);
            long pointer = address.get(ValueLayout.JAVA_LONG, 0);
            return new DeviceMemory(context, pointer, size, Kind.MANAGED, false, () -> free(pointer));
        }
    }

    /** Allocates memory of the device's pool, in stream order. */
    static DeviceMemory pooled(CudaStream stream, long size) {
        requireSize(size);
        CudaContext context = stream.context();
        String call = "cuMemAllocAsync(size=%d)";
        if (!context.device().has(DeviceAttribute.MEMORY_POOLS_SUPPORTED)) {
            throw new UnsupportedCudaCallException(call.formatted(size), context.device() + " has no memory pools");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ValueLayout.JAVA_LONG);
            check(MemoryCalls.allocAsync(address, size, stream.pointer), call, size, context);
            long pointer = address.get(ValueLayout.JAVA_LONG, 0);
            return new DeviceMemory(context, pointer, size, Kind.POOL, false, () -> free(pointer));
        }
    }

    static DeviceMemory virtual(CudaContext context, long size) {
        requireSize(size);
        VirtualAllocation allocation = VirtualAllocation.make(context, size);
        return new DeviceMemory(context, allocation.address(), allocation.size(), Kind.VIRTUAL, true, allocation);
    }

    /** Wraps memory of another library. The driver's data about the pointer must match the arguments. */
    static DeviceMemory foreign(CudaContext context, long address, long size) {
        return adopted(context, address, size, Freeing.NOTHING);
    }

    /** Wraps memory of another library, with the call that frees it. */
    static DeviceMemory adopted(CudaContext context, long address, long size, Freeing freeing) {
        requireSize(size);
        PointerAttributes attributes = PointerAttributes.of(address);
        String pointer = "pointer 0x%x".formatted(address);
        if (attributes.type() == PointerAttributes.Type.UNKNOWN) {
            throw new IllegalArgumentException(pointer
                    + " is not known to CUDA: it was never allocated, has been freed, or is ordinary host memory");
        }
        if (attributes.type() == PointerAttributes.Type.HOST) {
            throw new IllegalArgumentException(pointer + " is pinned host memory, not memory of a device");
        }
        if (attributes.deviceOrdinal() != context.device().ordinal()) {
            throw new IllegalArgumentException("%s is memory of CUDA device %d, but this is a %s"
                    .formatted(pointer, attributes.deviceOrdinal(), context));
        }
        // Memory of pools and of the virtual-memory API belongs to no context.
        if (attributes.context() != 0 && attributes.context() != context.handle()) {
            throw new IllegalArgumentException(
                    pointer + " belongs to another context of the same device; wrap it in that one");
        }
        boolean capable = attributes.isGpuDirectCapable();
        long mapped = mappedFrom(attributes, address);
        // The driver describes only the segment of physical memory at the pointer, not the segments after it.
        for (PointerAttributes last = attributes; mapped > 0 && Long.compareUnsigned(size, mapped) > 0; ) {
            PointerAttributes next = last.kind() == Kind.VIRTUAL ? PointerAttributes.of(address + mapped) : null;
            if (next == null || !continues(last, next)) {
                throw new IllegalArgumentException(
                        "%d bytes from %s: its allocation, of %d bytes from 0x%x, ends after %d"
                                .formatted(size, pointer, last.rangeSize(), last.rangeStart(), mapped));
            }
            capable &= next.isGpuDirectCapable();
            mapped = mappedFrom(next, address);
            last = next;
        }
        return new DeviceMemory(context, address, size, attributes.kind(), capable, freeing);
    }

    /** Returns the number of bytes to the end of a segment; 0 if the driver does not report it. */
    private static long mappedFrom(PointerAttributes piece, long address) {
        return piece.rangeSize() == 0 ? 0 : piece.rangeStart() + piece.rangeSize() - address;
    }

    private static boolean continues(PointerAttributes last, PointerAttributes next) {
        return next.type() == PointerAttributes.Type.DEVICE
                && next.kind() == Kind.VIRTUAL
                && next.deviceOrdinal() == last.deviceOrdinal();
    }

    private static void free(long address) {
        Results.check(MemoryCalls.free(address), "cuMemFree(0x%x)", address);
    }

    static void requireSize(long size) {
        if (size < 1) {
            throw new IllegalArgumentException("an allocation of " + size + " bytes; 1 is the least");
        }
    }

    /** The text of the call is composed only if it failed. */
    static void check(int result, String format, long size, CudaContext context) {
        if (result != Results.SUCCESS) {
            check(result, format.formatted(size), context);
        }
    }

    static void check(int result, String call, CudaContext context) {
        if (result == CudaHeaders.CUDA_ERROR_OUT_OF_MEMORY()) {
            String explanation = "";
            try {
                explanation = "%s has %d of %d bytes free"
                        .formatted(
                                context.device(),
                                context.freeMemory(),
                                context.device().totalMemory());
            } catch (CudaException e) {
                // The allocation failure is still reported, without the amount of free memory.
                explanation = "the amount of free memory cannot be queried either";
            }
            throw Results.failure(result, call, explanation);
        }
        Results.check(result, call);
    }
}
