// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.MemoryCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * Pinned host memory, which the device copies to and from by itself, and whose addresses kernels can use.
 *
 * <p>Thread safety: all methods may be called from any thread.
 */
public final class HostMemory extends CudaResource implements DeviceAddressable {
    private final CudaContext context;
    private final MemorySegment segment;
    private final long deviceAddress;
    /** Makes a segment of allocated memory unusable when the memory is freed; null for registered memory. */
    private final Arena arena;

    private HostMemory(CudaContext context, MemorySegment segment, Arena arena) {
        super(context);
        this.context = context;
        this.segment = segment;
        this.arena = arena;
        this.deviceAddress = deviceAddressOf(segment);
    }

    static HostMemory allocate(CudaContext context, long size, HostMemoryFlag... flags) {
        DeviceAllocations.requireSize(size);
        List<HostMemoryFlag> given = List.of(flags);
        if (given.contains(HostMemoryFlag.READ_ONLY)) {
            throw new IllegalArgumentException("READ_ONLY is for memory that is registered, not allocated");
        }
        int mask = CudaHeaders.CU_MEMHOSTALLOC_PORTABLE()
                | CudaHeaders.CU_MEMHOSTALLOC_DEVICEMAP()
                | (given.contains(HostMemoryFlag.WRITE_COMBINED) ? CudaHeaders.CU_MEMHOSTALLOC_WRITECOMBINED() : 0);
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment address = scratch.allocate(ValueLayout.JAVA_LONG);
            String call = "cuMemHostAlloc(size=%d, flags=0x%x)".formatted(size, mask);
            int result = MemoryCalls.hostAlloc(address, size, mask);
            if (result == CudaHeaders.CUDA_ERROR_OUT_OF_MEMORY()) {
                throw Results.failure(result, call, "so much host memory cannot be pinned");
            }
            Results.check(result, call);
            Arena arena = Arena.ofShared();
            MemorySegment segment = MemorySegment.ofAddress(address.get(ValueLayout.JAVA_LONG, 0))
                    .reinterpret(size, arena, null);
            return new HostMemory(context, segment, arena);
        }
    }

    static HostMemory register(CudaContext context, MemorySegment segment, HostMemoryFlag... flags) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException(
                    "only native memory can be registered, and " + segment + " is on the heap");
        }
        if (segment.byteSize() == 0) {
            throw new IllegalArgumentException("an empty segment cannot be registered");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the arena of the memory to register is closed");
        }
        List<HostMemoryFlag> given = List.of(flags);
        if (given.contains(HostMemoryFlag.WRITE_COMBINED)) {
            throw new IllegalArgumentException("WRITE_COMBINED is for memory that is allocated, not registered");
        }
        int mask = CudaHeaders.CU_MEMHOSTREGISTER_PORTABLE()
                | CudaHeaders.CU_MEMHOSTREGISTER_DEVICEMAP()
                | (given.contains(HostMemoryFlag.READ_ONLY) ? CudaHeaders.CU_MEMHOSTREGISTER_READ_ONLY() : 0);
        Results.check(
                MemoryCalls.hostRegister(segment.address(), segment.byteSize(), mask),
                "cuMemHostRegister(address=0x%x, size=%d, flags=0x%x)"
                        .formatted(segment.address(), segment.byteSize(), mask));
        return new HostMemory(context, segment, null);
    }

    private static long deviceAddressOf(MemorySegment segment) {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment address = scratch.allocate(ValueLayout.JAVA_LONG);
            Results.check(
                    MemoryCalls.hostGetDevicePointer(address, segment.address(), 0),
                    "cuMemHostGetDevicePointer(0x%x)".formatted(segment.address()));
            return address.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    @Override
    public CudaContext context() {
        return context;
    }

    /** {@return the address in the process} */
    @Override
    public long handle() {
        requireOpen();
        return segment.address();
    }

    /**
     * The memory.
     *
     * @return the segment; that of allocated memory cannot be used any more when this is closed
     */
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long deviceAddress() {
        requireOpen();
        return deviceAddress;
    }

    @Override
    public long size() {
        return segment.byteSize();
    }

    @Override
    void release() {
        if (arena == null) {
            Results.check(
                    MemoryCalls.hostUnregister(segment.address()),
                    "cuMemHostUnregister(0x%x)".formatted(segment.address()));
        } else {
            arena.close();
            Results.check(MemoryCalls.freeHost(segment.address()), "cuMemFreeHost(0x%x)".formatted(segment.address()));
        }
    }

    /** {@return address and size} */
    @Override
    public String toString() {
        return "pinned host memory 0x%x, %d bytes%s"
                .formatted(segment.address(), segment.byteSize(), arena == null ? ", registered" : "");
    }
}
