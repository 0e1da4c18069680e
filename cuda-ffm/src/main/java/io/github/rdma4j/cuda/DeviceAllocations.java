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

/** The ways to a {@link DeviceMemory}, each with its checks and the way back. The context is current. */
final class DeviceAllocations {
    private DeviceAllocations() {}

    static DeviceMemory plain(CudaContext context, long size) {
        requireSize(size);
        boolean direct = context.device().has(DeviceAttribute.GPU_DIRECT_RDMA_SUPPORTED);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ValueLayout.JAVA_LONG);
            check(MemoryCalls.alloc(address, size), "cuMemAlloc(size=%d)".formatted(size), context);
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
                    "cuMemAllocManaged(size=%d)".formatted(size),
                    context);
            long pointer = address.get(ValueLayout.JAVA_LONG, 0);
            return new DeviceMemory(context, pointer, size, Kind.MANAGED, false, () -> free(pointer));
        }
    }

    /** Of the device's pool, in the order of a stream. */
    static DeviceMemory pooled(CudaStream stream, long size) {
        requireSize(size);
        CudaContext context = stream.context();
        String call = "cuMemAllocAsync(size=%d)".formatted(size);
        if (!context.device().has(DeviceAttribute.MEMORY_POOLS_SUPPORTED)) {
            throw new UnsupportedCudaCallException(call, context.device() + " has no memory pools");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ValueLayout.JAVA_LONG);
            check(MemoryCalls.allocAsync(address, size, stream.pointer), call, context);
            long pointer = address.get(ValueLayout.JAVA_LONG, 0);
            return new DeviceMemory(context, pointer, size, Kind.POOL, false, () -> free(pointer));
        }
    }

    static DeviceMemory virtual(CudaContext context, long size) {
        requireSize(size);
        VirtualAllocation allocation = VirtualAllocation.make(context, size);
        return new DeviceMemory(context, allocation.address(), allocation.size(), Kind.VIRTUAL, true, allocation);
    }

    /** Somebody else's pointer: what the driver says of it must fit what the caller says. */
    static DeviceMemory foreign(CudaContext context, long address, long size) {
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
            throw new IllegalArgumentException("%s is memory of CUDA device %d, and this is a %s"
                    .formatted(pointer, attributes.deviceOrdinal(), context));
        }
        // Memory of pools and of the virtual-memory API belongs to no context.
        if (attributes.context() != 0 && attributes.context() != context.handle()) {
            throw new IllegalArgumentException(
                    pointer + " belongs to another context of the same device; wrap it in that one");
        }
        long behind = attributes.rangeStart() + attributes.rangeSize() - address;
        if (attributes.rangeSize() > 0 && Long.compareUnsigned(size, behind) > 0) {
            throw new IllegalArgumentException("%d bytes from %s: its allocation, of %d bytes from 0x%x, ends after %d"
                    .formatted(size, pointer, attributes.rangeSize(), attributes.rangeStart(), behind));
        }
        return new DeviceMemory(
                context, address, size, attributes.kind(), attributes.isGpuDirectCapable(), Freeing.NOTHING);
    }

    private static void free(long address) {
        Results.check(MemoryCalls.free(address), "cuMemFree(0x%x)".formatted(address));
    }

    static void requireSize(long size) {
        if (size < 1) {
            throw new IllegalArgumentException("an allocation of " + size + " bytes; 1 is the least");
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
                // What failed is told; how much there would have been is not known then.
                explanation = "how much is free cannot be asked either";
            }
            throw Results.failure(result, call, explanation);
        }
        Results.check(result, call);
    }
}
