// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.ContextCalls;
import io.github.rdma4j.cuda.internal.DeviceCalls;
import io.github.rdma4j.cuda.internal.GpuDirectCalls;
import io.github.rdma4j.cuda.internal.HostFunctions;
import io.github.rdma4j.cuda.internal.LostContexts;
import io.github.rdma4j.cuda.internal.MemoryCalls;
import io.github.rdma4j.cuda.internal.Results;
import io.github.rdma4j.cuda.internal.StreamCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * A context ({@code CUcontext}), which owns memory, streams and modules of a device. Closing it closes them all.
 *
 * <p>Thread safety: all methods may be called from any thread, including virtual threads. Each method makes this
 * context current on its thread and leaves it current.
 *
 * @since 0.1.0
 */
public final class CudaContext extends CudaResource {
    private final CudaDevice device;
    /** For native calls, also while this is being closed. */
    final long pointer;

    private final boolean primary;
    private final UnfinishedWork unfinishedWork = new UnfinishedWork(this);
    private volatile Duration closeTimeout = Duration.ofSeconds(30);

    CudaContext(CudaDevice device, long pointer, boolean primary) {
        super(null);
        this.device = device;
        this.pointer = pointer;
        this.primary = primary;
        UnfinishedWork.opened(this);
    }

    @Override
    public CudaContext context() {
        return this;
    }

    @Override
    public long handle() {
        requireOpen();
        return pointer;
    }

    /** {@return its device} */
    public CudaDevice device() {
        return device;
    }

    /** {@return whether it is the device's primary context} */
    public boolean isPrimary() {
        return primary;
    }

    /**
     * Makes this context current on the calling thread (cuCtxSetCurrent), for code outside this library. The methods of
     * this library do not need it.
     *
     * @throws IllegalStateException on a virtual thread: the driver's current context belongs to the platform thread,
     *     which may change at each blocking operation
     */
    public void makeCurrent() {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException(
                    "makeCurrent() on a virtual thread: after it has blocked, it may continue on"
                            + " another platform thread, where another context is current. Call it, and the code"
                            + " that needs it, on a platform thread (Thread.ofPlatform()); methods of this library need no"
                            + " current context");
        }
        bind();
    }

    /**
     * Makes this context current for one native call that follows at once, of another library that needs it, such as
     * cuFile or NCCL (cuCtxSetCurrent). Nothing may block between the two calls, not even for a lock: a virtual thread
     * could continue on a thread with another current context. Allocates nothing.
     *
     * @throws IllegalStateException if it is closed
     */
    public void makeCurrentForCall() {
        bind();
    }

    /**
     * Makes this context current for calls of the driver that follow at once. Nothing may block in between, not even
     * for a lock: a virtual thread could continue on a thread with another current context.
     */
    void bind() {
        requireOpen();
        Results.check(ContextCalls.setCurrent(pointer), "cuCtxSetCurrent()");
    }

    /** {@return the unfinished work of its streams} */
    UnfinishedWork unfinishedWork() {
        return unfinishedWork;
    }

    /** {@return the longest time that a close waits for the work of this context; 30 seconds by default} */
    public Duration closeTimeout() {
        return closeTimeout;
    }

    /**
     * Sets how long a close waits for the work of this context. Closing memory, a module or the context waits, unless
     * another object keeps the same primary context. A context that closes many objects waits once for all of them.
     * There is no limit for work of other libraries on their own streams that do not wait for the default stream.
     *
     * @param timeout zero checks once and does not wait
     * @throws IllegalArgumentException if it is negative
     */
    public void setCloseTimeout(Duration timeout) {
        Timeouts.checkedNanos(timeout);
        closeTimeout = timeout;
    }

    /** Returns a time of System.nanoTime; limited to its range. */
    long closeDeadline() {
        return System.nanoTime() + Math.min(Timeouts.checkedNanos(closeTimeout), Long.MAX_VALUE / 2);
    }

    /**
     * Makes synchronous memory operations complete when they return, also for other PCI devices (cuCtxSetFlags with
     * {@code CU_CTX_SYNC_MEMOPS}). GPUDirect RDMA needs this if a copy or fill by this process and a transfer by an
     * adapter follow each other.
     *
     * @throws UnsupportedCudaCallException before CUDA 12.1; {@link DeviceMemory#synchronizeMemoryOperations} sets it
     *     for one allocation
     */
    public void synchronizeMemoryOperations() {
        enter();
        try {
            bind();
            int flags = ContextFlag.ofCurrentContext();
            if (!ContextFlag.SYNC_MEMOPS.in(flags)) {
                Results.check(
                        ContextCalls.setFlags(flags | CudaHeaders.CU_CTX_SYNC_MEMOPS()),
                        "cuCtxSetFlags(CU_CTX_SYNC_MEMOPS)");
            }
        } finally {
            exit();
        }
    }

    /**
     * Returns whether a flag is set (cuCtxGetFlags).
     *
     * @param flag the flag
     * @return whether it is set
     */
    public boolean has(ContextFlag flag) {
        enter();
        try {
            bind();
            return flag.in(ContextFlag.ofCurrentContext());
        } finally {
            exit();
        }
    }

    /** {@return how much of the device's memory is free, in bytes; other programs may allocate it (cuMemGetInfo)} */
    public long freeMemory() {
        enter();
        try (Arena arena = Arena.ofConfined()) {
            bind();
            MemorySegment free = arena.allocate(ValueLayout.JAVA_LONG);
            Results.check(MemoryCalls.getInfo(free, arena.allocate(ValueLayout.JAVA_LONG)), "cuMemGetInfo()");
            return free.get(ValueLayout.JAVA_LONG, 0);
        } finally {
            exit();
        }
    }

    /**
     * Allocates device memory (cuMemAlloc). It is aligned to at least 256 bytes, and its contents are undefined.
     *
     * @param size in bytes, 1 or more
     * @return the memory
     * @throws OutOfDeviceMemoryException if there is not enough; the message contains the free amount
     */
    public DeviceMemory allocate(long size) {
        return create(() -> DeviceAllocations.plain(this, size));
    }

    /**
     * Allocates device memory of the virtual-memory API that network adapters can access (cuMemCreate with
     * {@code gpuDirectRDMACapable}).
     *
     * @param size in bytes, 1 or more; rounded up to the device's granularity, usually 2 MiB
     * @return the memory
     * @throws UnsupportedCudaCallException if the device lacks the virtual-memory API, or GPUDirect RDMA with it
     * @throws OutOfDeviceMemoryException if there is not enough
     */
    public DeviceMemory allocateGpuDirect(long size) {
        return create(() -> DeviceAllocations.virtual(this, size));
    }

    /**
     * Allocates managed memory, which migrates between host and device when it is used (cuMemAllocManaged). It cannot
     * be registered with an adapter as device memory.
     *
     * @param size in bytes, 1 or more
     * @return the memory
     * @throws OutOfDeviceMemoryException if there is not enough
     */
    public DeviceMemory allocateManaged(long size) {
        return create(() -> DeviceAllocations.managed(this, size));
    }

    /**
     * Wraps memory that another library has allocated and will free, such as a framework's tensor. Checks the driver's
     * attributes of the pointer; closing it here frees nothing. Memory of the virtual-memory API may consist of several
     * segments of physical memory side by side, as PyTorch's expandable segments do.
     *
     * @param address a device pointer of this context
     * @param size in bytes, 1 or more
     * @return the memory
     * @throws IllegalArgumentException if the driver does not know the pointer, it belongs to another context, it is
     *     not device memory, or the allocation is shorter
     */
    public DeviceMemory wrap(long address, long size) {
        return create(() -> DeviceAllocations.foreign(this, address, size));
    }

    /**
     * Wraps memory that another library, such as NCCL, has allocated, and that a call of that library frees. Checks it
     * as {@link #wrap} does. Closing it waits for the work of its context, as for memory of this library.
     *
     * @param address a device pointer of this context
     * @param size in bytes, 1 or more
     * @param free frees the memory; called once, with this context current
     * @return the memory
     * @throws IllegalArgumentException as for {@link #wrap}; the memory is not freed then
     */
    public DeviceMemory adopt(long address, long size, Runnable free) {
        Objects.requireNonNull(free, "free");
        return create(() -> DeviceAllocations.adopted(this, address, size, free::run));
    }

    /**
     * Loads PTX, which the driver compiles for this device (cuModuleLoadDataEx).
     *
     * @param ptx the text
     * @return the module
     * @throws IllegalArgumentException if it is not PTX, but the name of a file, for instance
     * @throws CudaException if the driver refuses it; the message contains the compiler's message
     */
    public CudaModule loadModule(String ptx) {
        return create(() -> CudaModule.load(this, ptx));
    }

    /**
     * Loads a cubin, a fat binary, or PTX (cuModuleLoadDataEx).
     *
     * @param image the bytes
     * @return the module
     * @throws CudaException if the driver refuses it; the message contains the compiler's message
     */
    public CudaModule loadModule(byte[] image) {
        return create(() -> CudaModule.load(this, image, "module of %d bytes".formatted(image.length)));
    }

    /**
     * Loads a file with a cubin, a fat binary, or PTX (cuModuleLoadDataEx).
     *
     * @param file the file
     * @return the module
     * @throws java.io.UncheckedIOException if the file cannot be read
     * @throws CudaException if the driver refuses it; the message contains the compiler's message
     */
    public CudaModule loadModule(Path file) {
        byte[] image = CudaModule.read(file);
        return create(() -> CudaModule.load(this, image, "module " + file));
    }

    /**
     * Returns the driver's attributes of a pointer.
     *
     * @param address any address
     * @return the attributes
     */
    public PointerAttributes pointerAttributes(long address) {
        enter();
        try {
            bind();
            return PointerAttributes.of(address);
        } finally {
            exit();
        }
    }

    /**
     * Allocates pinned host memory (cuMemHostAlloc), which all contexts know and the device can access.
     *
     * @param size in bytes, 1 or more
     * @param flags usually none
     * @return the memory
     * @throws OutOfDeviceMemoryException if so much memory cannot be pinned
     */
    public HostMemory allocateHost(long size, HostMemoryFlag... flags) {
        return create(() -> HostMemory.allocate(this, size, flags)).withDeviceAddress();
    }

    /**
     * Pins existing host memory for copies (cuMemHostRegister).
     *
     * @param segment native memory, whose arena must stay open until the registration is closed
     * @param flags usually none
     * @return the registration
     * @throws IllegalArgumentException if the segment is on the heap, empty, or closed
     * @throws CudaException if the driver refuses it, for instance because a part is already registered
     */
    public HostMemory registerHost(MemorySegment segment, HostMemoryFlag... flags) {
        return create(() -> HostMemory.register(this, segment, flags)).withDeviceAddress();
    }

    /**
     * Creates a stream that does not wait for the legacy default stream.
     *
     * @return the stream
     */
    public CudaStream createStream() {
        return createStream(0);
    }

    /** {@return the priorities of streams (cuCtxGetStreamPriorityRange)} */
    public StreamPriorities streamPriorities() {
        enter();
        try (Arena arena = Arena.ofConfined()) {
            bind();
            MemorySegment least = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment greatest = arena.allocate(ValueLayout.JAVA_INT);
            Results.check(ContextCalls.getStreamPriorityRange(least, greatest), "cuCtxGetStreamPriorityRange()");
            return new StreamPriorities(least.get(ValueLayout.JAVA_INT, 0), greatest.get(ValueLayout.JAVA_INT, 0));
        } finally {
            exit();
        }
    }

    /**
     * Creates a stream with a priority.
     *
     * @param priority the lower the more urgent; 0 is the default. Values outside {@link #streamPriorities} are clamped
     * @return the stream
     */
    public CudaStream createStream(int priority) {
        return create(() -> CudaStream.create(this, priority));
    }

    /**
     * Creates an empty graph (cuGraphCreate), to which you add batches and other graphs. {@link CudaStream#capture}
     * creates a graph from the work of a stream.
     *
     * @return the graph
     */
    public CudaGraph createGraph() {
        return create(() -> CudaGraph.create(this));
    }

    /**
     * Creates an event.
     *
     * @param flags none for an event without timing, which is fastest
     * @return the event
     */
    public CudaEvent createEvent(EventFlag... flags) {
        return create(() -> CudaEvent.create(this, flags));
    }

    /**
     * Makes writes of other devices to this device's memory visible that arrived before this call
     * (cuFlushGPUDirectRDMAWrites). Does nothing if the device orders such writes itself
     * ({@link DeviceAttribute#GPU_DIRECT_RDMA_WRITES_ORDERING}).
     *
     * @param scope where the writes become visible
     * @throws UnsupportedCudaCallException before CUDA 11.3, or if the device cannot be flushed by the host
     */
    public void flushGpuDirectWrites(FlushScope scope) {
        enter();
        try {
            bind();
            int result = GpuDirectCalls.flushWrites(
                    CudaHeaders.CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX(), scope.code());
            if (result != Results.SUCCESS) {
                throw unflushed(result, "cuFlushGPUDirectRDMAWrites(scope=" + scope + ")");
            }
        } finally {
            exit();
        }
    }

    private CudaException unflushed(int result, String call) {
        return result == CudaHeaders.CUDA_ERROR_NOT_SUPPORTED()
                ? new UnsupportedCudaCallException(call, device + " cannot be flushed by the host")
                : Results.failure(result, call);
    }

    /**
     * Lets this context access the memory of another device's context (cuCtxEnablePeerAccess).
     *
     * @param peer a context of another device
     * @throws CudaException if the devices cannot access each other's memory
     */
    public void enablePeerAccess(CudaContext peer) {
        enter();
        try {
            peer.enter();
            try {
                bind();
                int result = ContextCalls.enablePeerAccess(peer.pointer, 0);
                if (result != CudaHeaders.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED()) {
                    Results.check(result, peerCall("cuCtxEnablePeerAccess", peer));
                }
            } finally {
                peer.exit();
            }
        } finally {
            exit();
        }
    }

    private String peerCall(String function, CudaContext peer) {
        return "%s(device=%d, peer=%d)"
                .formatted(function, device.ordinal(), peer.device().ordinal());
    }

    /**
     * Undoes {@link #enablePeerAccess}.
     *
     * @param peer the same context
     */
    public void disablePeerAccess(CudaContext peer) {
        enter();
        try {
            peer.enter();
            try {
                bind();
                Results.check(ContextCalls.disablePeerAccess(peer.pointer), peerCall("cuCtxDisablePeerAccess", peer));
            } finally {
                peer.exit();
            }
        } finally {
            exit();
        }
    }

    /**
     * When the driver destroys a context, it waits for the context's work, forever if a stream waits for a value that
     * is never written. A primary context is destroyed when its last user releases it.
     */
    @Override
    boolean isUsedByWork() {
        return !primary || UnfinishedWork.isLastFor(this);
    }

    @Override
    void release() {
        unfinishedWork.forget();
        boolean lost = HostFunctions.hasPending(this) && isLost();
        int result = primary ? DeviceCalls.primaryContextRelease(device.handle()) : ContextCalls.destroy(pointer);
        if (lost || LostContexts.isLost(result) || !primary && result == Results.SUCCESS) {
            HostFunctions.forget(this);
        }
        Results.check(
                result,
                (primary ? "cuDevicePrimaryCtxRelease(device=%d)" : "cuCtxDestroy(device=%d)")
                        .formatted(device.ordinal()));
    }

    /** If the context is lost, no callback runs any more, except in a primary context that others still use. */
    private boolean isLost() {
        int result = ContextCalls.setCurrent(pointer);
        return LostContexts.isLost(result == Results.SUCCESS ? StreamCalls.query(0) : result, "cuCtxSetCurrent()");
    }

    @Override
    void afterClose() {
        UnfinishedWork.closed(this);
        HostFunctions.closed(this);
    }

    /** {@return the device and whether it is the primary context} */
    @Override
    public String toString() {
        return (primary ? "primary context of " : "context of ") + device;
    }
}
