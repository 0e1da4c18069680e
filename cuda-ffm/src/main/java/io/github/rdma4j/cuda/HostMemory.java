// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.MemoryCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;

/**
 * Pinned host memory. The device copies to and from it directly, and kernels can use its addresses.
 *
 * <p>Closing it waits for all work of all contexts, which includes queued copies from and to it, and for threads that
 * are inside a call with its segment. If a stream waits for something that does not happen, the close fails after
 * {@link CudaContext#closeTimeout()}, and the memory stays open.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class HostMemory extends GuardedResource implements DeviceAddressable {
    private final MemorySegment segment;
    /** Set by {@link #withDeviceAddress()}. */
    private long deviceAddress;
    /** Closes the segment of allocated memory when the memory is freed; null for registered memory. */
    private final Arena arena;

    private static CudaException notPinned(int result, String call) {
        return Results.failure(
                result,
                call,
                "this much host memory cannot be pinned",
                "pin less, or make host memory available: see free -h, and memory.max of the container's control group");
    }

    private HostMemory(CudaContext context, MemorySegment segment, Arena arena) {
        super(context, segment.address());
        this.segment = segment;
        this.arena = arena;
    }

    static HostMemory allocate(CudaContext context, long size, HostMemoryFlag... flags) {
        DeviceAllocations.requireSize(size);
        for (HostMemoryFlag flag : flags) {
            Objects.requireNonNull(flag, "flag");
        }
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
                throw notPinned(result, call);
            }
            Results.check(result, call);
            long pointer = address.get(ValueLayout.JAVA_LONG, 0);
            Arena arena = Arena.ofShared();
            return new HostMemory(context, MemorySegment.ofAddress(pointer).reinterpret(size, arena, null), arena);
        }
    }

    static HostMemory register(CudaContext context, MemorySegment segment, HostMemoryFlag... flags) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException(
                    "only native memory can be registered, but " + segment + " is on the heap");
        }
        if (segment.byteSize() == 0) {
            throw new IllegalArgumentException("an empty segment cannot be registered");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the arena of the memory to register is closed");
        }
        for (HostMemoryFlag flag : flags) {
            Objects.requireNonNull(flag, "flag");
        }
        List<HostMemoryFlag> given = List.of(flags);
        if (given.contains(HostMemoryFlag.WRITE_COMBINED)) {
            throw new IllegalArgumentException("WRITE_COMBINED is for memory that is allocated, not registered");
        }
        int mask = CudaHeaders.CU_MEMHOSTREGISTER_PORTABLE()
                | CudaHeaders.CU_MEMHOSTREGISTER_DEVICEMAP()
                | (given.contains(HostMemoryFlag.READ_ONLY) ? CudaHeaders.CU_MEMHOSTREGISTER_READ_ONLY() : 0);
        long address = segment.address();
        String call =
                "cuMemHostRegister(address=0x%x, size=%d, flags=0x%x)".formatted(address, segment.byteSize(), mask);
        int result = MemoryCalls.hostRegister(address, segment.byteSize(), mask);
        if (result == CudaHeaders.CUDA_ERROR_OUT_OF_MEMORY()) {
            throw notPinned(result, call);
        }
        if (result == CudaHeaders.CUDA_ERROR_NOT_SUPPORTED()) {
            throw new UnsupportedCudaCallException(call, context.device() + " does not register such memory");
        }
        Results.check(result, call);
        return new HostMemory(context, segment, null);
    }

    /**
     * Queries the device's address. Called when this is already a dependent of the context: if the driver refuses, the
     * memory must not be freed while there is work, which may wait for this thread.
     */
    HostMemory withDeviceAddress() {
        try {
            enter();
            try {
                context().bind();
                deviceAddress = deviceAddressOf(segment);
            } finally {
                exit();
            }
            return this;
        } catch (RuntimeException | Error e) {
            closeUnlessBusy(e);
            throw e;
        }
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

    /**
     * Returns the memory.
     *
     * @return the segment; if this object allocated the memory, closing it also closes the segment
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

    /** A segment of freed memory would violate the JVM's memory safety. */
    @Override
    void abandon(long deadline) {
        if (arena != null && !Waiting.until(this::closeArena, deadline)) {
            throw new CudaCloseTimeoutException(this
                    + " is not freed, though closed to new uses: another thread has been inside a call with its segment"
                    + " for longer than " + TimeText.of(context().closeTimeout())
                    + ". Close it again when that call is over");
        }
    }

    /** Returns false while a thread is inside a call with the segment. */
    private boolean closeArena() {
        try {
            if (arena.scope().isAlive()) {
                arena.close();
            }
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    @Override
    boolean isUsedByWork() {
        return true;
    }

    /** All contexts know its addresses, and copies may use its segment without this object. */
    @Override
    boolean isUsedByWorkElsewhere() {
        return true;
    }

    @Override
    void release() {
        if (arena == null) {
            Results.check(MemoryCalls.hostUnregister(pointer), "cuMemHostUnregister(0x%x)", pointer);
        } else {
            Results.check(MemoryCalls.freeHost(pointer), "cuMemFreeHost(0x%x)", pointer);
        }
    }

    /** {@return the address and the size} */
    @Override
    public String toString() {
        return "pinned host memory 0x%x, %d bytes%s"
                .formatted(segment.address(), segment.byteSize(), arena == null ? ", registered" : "");
    }
}
