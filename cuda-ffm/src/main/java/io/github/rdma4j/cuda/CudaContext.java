// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

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
 * A context ({@code CUcontext}): it owns memory, streams and modules of a device. Closing it closes them all.
 *
 * <p>Thread safety: all methods may be called from any thread, also from virtual ones. Each method makes this context
 * current on its thread and leaves it current.
 *
 * @since 0.1.0
 */
public final class CudaContext extends CudaResource {
    private final CudaDevice device;
    /** For native calls, also when this is being closed. */
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
     * Makes it current on the calling thread (cuCtxSetCurrent), for code that is not of this library. The methods of
     * this library need it on no thread.
     *
     * @throws IllegalStateException on a virtual thread: the driver's current context is one of the thread of the
     *     system, which each pause may change
     */
    public void makeCurrent() {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("makeCurrent() on a virtual thread: after its next pause it may run on"
                    + " another thread of the system, where another context is current. Call it, and the code"
                    + " that needs it, on a platform thread (Thread.ofPlatform()); methods of this library need no"
                    + " current context");
        }
        bind();
    }

    /**
     * Makes this the current context for one native call that follows at once, of a library beside the driver that asks
     * for it: cuFile, NCCL (cuCtxSetCurrent). Between this and that call nothing may block, not even for a lock: a
     * virtual thread would go on where another context is current. Allocates nothing.
     *
     * @throws IllegalStateException if it is closed
     */
    public void makeCurrentForCall() {
        bind();
    }

    /**
     * Makes it current for the calls of the driver that follow at once. Between it and them nothing may block, not even
     * for a lock: a virtual thread would go on where another context is current.
     */
    void bind() {
        requireOpen();
        Results.check(ContextCalls.setCurrent(pointer), "cuCtxSetCurrent()");
    }

    /** {@return what its streams still have to do} */
    UnfinishedWork unfinishedWork() {
        return unfinishedWork;
    }

    /** {@return how long a close waits at most for the work of this context; 30 seconds if nobody has set it} */
    public Duration closeTimeout() {
        return closeTimeout;
    }

    /**
     * Sets how long a close waits for the work of this context. Closing memory, a module or the context waits, unless
     * another object keeps the same primary context. A context that closes many objects waits once for all of them.
     * There is no limit for work of other libraries on their own streams that do not wait for the default stream.
     *
     * @param timeout 0 to look once and not to wait
     * @throws IllegalArgumentException if it is negative
     */
    public void setCloseTimeout(Duration timeout) {
        Waiting.nanos(timeout);
        closeTimeout = timeout;
    }

    /** In terms of System.nanoTime; limited to its range. */
    long closeDeadline() {
        return System.nanoTime() + Math.min(Waiting.nanos(closeTimeout), Long.MAX_VALUE / 2);
    }

    /**
     * Has synchronous memory operations ended, also for other PCI devices, when they return: what GPUDirect RDMA needs
     * where a copy or fill by this process and a transfer by an adapter follow each other (cuCtxSetFlags with
     * {@code CU_CTX_SYNC_MEMOPS}).
     *
     * @throws UnsupportedCudaCallException before CUDA 12.1; {@link DeviceMemory#synchronizeMemoryOperations} does it
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
     * @param flag which
     * @return whether it is
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

    /** {@return how much of the device's memory is free, in bytes; others may take it (cuMemGetInfo)} */
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
     * Device memory (cuMemAlloc), aligned to 256 bytes at least, its contents undefined.
     *
     * @param size in bytes, 1 or more
     * @return the memory
     * @throws OutOfDeviceMemoryException if there is not enough; the message says how much there is
     */
    public DeviceMemory allocate(long size) {
        return create(() -> DeviceAllocations.plain(this, size));
    }

    /**
     * Device memory of the virtual-memory API that network adapters can reach (cuMemCreate with
     * {@code gpuDirectRDMACapable}).
     *
     * @param size in bytes, 1 or more; it is rounded up to the device's granularity, 2 MiB mostly
     * @return the memory
     * @throws UnsupportedCudaCallException if the device has no virtual-memory API, or no GPUDirect RDMA with it
     * @throws OutOfDeviceMemoryException if there is not enough
     */
    public DeviceMemory allocateGpuDirect(long size) {
        return create(() -> DeviceAllocations.virtual(this, size));
    }

    /**
     * Managed memory, which moves between host and device as it is used (cuMemAllocManaged). Adapters cannot be given
     * it as device memory.
     *
     * @param size in bytes, 1 or more
     * @return the memory
     * @throws OutOfDeviceMemoryException if there is not enough
     */
    public DeviceMemory allocateManaged(long size) {
        return create(() -> DeviceAllocations.managed(this, size));
    }

    /**
     * Wraps memory that another library has allocated and frees, such as a framework's tensor. It is checked against
     * the driver's attributes of the pointer; closing it here frees nothing. Memory of the virtual-memory API may have
     * several pieces of physical memory side by side, as PyTorch's expandable segments have them.
     *
     * @param address a device pointer of this context
     * @param size in bytes, 1 or more
     * @return the memory
     * @throws IllegalArgumentException if the driver does not know the pointer, it belongs to another context or is not
     *     of a device, or the allocation is shorter
     */
    public DeviceMemory wrap(long address, long size) {
        return create(() -> DeviceAllocations.foreign(this, address, size));
    }

    /**
     * Memory that another library has allocated, and that this frees by a call of that library: NCCL's, for instance.
     * It is checked as by {@link #wrap}. Closing it waits for the work of its context, as for memory of this library.
     *
     * @param address a device pointer of this context
     * @param size in bytes, 1 or more
     * @param free frees it; called once, with this context current
     * @return the memory
     * @throws IllegalArgumentException as by {@link #wrap}; the memory is not freed then
     */
    public DeviceMemory adopt(long address, long size, Runnable free) {
        Objects.requireNonNull(free, "free");
        return create(() -> DeviceAllocations.adopted(this, address, size, free::run));
    }

    /**
     * Loads PTX, which the driver compiles for this device (cuModuleLoadDataEx).
     *
     * @param ptx its text
     * @return the module
     * @throws IllegalArgumentException if it is not PTX: the name of a file, for instance
     * @throws CudaException if the driver refuses it; the message has what its compiler says
     */
    public CudaModule loadModule(String ptx) {
        return create(() -> CudaModule.load(this, ptx));
    }

    /**
     * Loads a cubin, a fat binary, or PTX (cuModuleLoadDataEx).
     *
     * @param image its bytes
     * @return the module
     * @throws CudaException if the driver refuses it; the message has what its compiler says
     */
    public CudaModule loadModule(byte[] image) {
        return create(() -> CudaModule.load(this, image, "module of %d bytes".formatted(image.length)));
    }

    /**
     * Loads a file with a cubin, a fat binary, or PTX (cuModuleLoadDataEx).
     *
     * @param file which
     * @return the module
     * @throws java.io.UncheckedIOException if the file cannot be read
     * @throws CudaException if the driver refuses it; the message has what its compiler says
     */
    public CudaModule loadModule(Path file) {
        byte[] image = CudaModule.read(file);
        return create(() -> CudaModule.load(this, image, "module " + file));
    }

    /**
     * Returns the driver's attributes of a pointer.
     *
     * @param address any
     * @return its attributes
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
     * Pinned host memory (cuMemHostAlloc), known to all contexts and reached by the device.
     *
     * @param size in bytes, 1 or more
     * @param flags none mostly
     * @return the memory
     * @throws OutOfDeviceMemoryException if that much cannot be pinned
     */
    public HostMemory allocateHost(long size, HostMemoryFlag... flags) {
        return create(() -> HostMemory.allocate(this, size, flags)).located();
    }

    /**
     * Pins existing host memory for copies (cuMemHostRegister).
     *
     * @param segment native memory, whose arena must stay open until what this returns is closed
     * @param flags none mostly
     * @return the registration
     * @throws IllegalArgumentException if the segment is on the heap, empty, or closed
     * @throws CudaException if a part of it is registered already, among others
     */
    public HostMemory registerHost(MemorySegment segment, HostMemoryFlag... flags) {
        return create(() -> HostMemory.register(this, segment, flags)).located();
    }

    /**
     * A stream that does not wait for the legacy default stream.
     *
     * @return the stream
     */
    public CudaStream createStream() {
        return createStream(0);
    }

    /** {@return the priorities that streams can have (cuCtxGetStreamPriorityRange)} */
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
     * A stream with a priority.
     *
     * @param priority the smaller the more urgent; 0 is the usual one, values out of {@link #streamPriorities} are
     *     moved into them
     * @return the stream
     */
    public CudaStream createStream(int priority) {
        return create(() -> CudaStream.create(this, priority));
    }

    /**
     * An empty graph (cuGraphCreate), to be put together of batches and other graphs; {@link CudaStream#capture} makes
     * one of what a stream is given.
     *
     * @return the graph
     */
    public CudaGraph createGraph() {
        return create(() -> CudaGraph.create(this));
    }

    /**
     * An event.
     *
     * @param flags none: one that takes no time, which is quickest
     * @return the event
     */
    public CudaEvent createEvent(EventFlag... flags) {
        return create(() -> CudaEvent.create(this, flags));
    }

    /**
     * Makes what other devices wrote to this one's memory before this call visible (cuFlushGPUDirectRDMAWrites). It
     * does nothing where the device orders such writes itself
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
     * Lets this context reach the memory of another device's context (cuCtxEnablePeerAccess).
     *
     * @param peer of another device
     * @throws CudaException if the devices cannot reach each other
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
     * The opposite of {@link #enablePeerAccess}.
     *
     * @param peer as it was given there
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
     * The driver waits for the work of a context that it destroys, for ever if a stream waits for a value that nobody
     * writes; a primary context goes with the last that has it.
     */
    @Override
    boolean isUsedByWork() {
        return !primary || UnfinishedWork.isLastFor(this);
    }

    @Override
    void release() {
        unfinishedWork.forget();
        boolean lost = HostFunctions.isAwaitedBy(this) && isLost();
        int result = primary ? DeviceCalls.primaryContextRelease(device.handle()) : ContextCalls.destroy(pointer);
        if (lost || LostContexts.isLost(result) || !primary && result == Results.SUCCESS) {
            HostFunctions.forget(this);
        }
        Results.check(
                result,
                (primary ? "cuDevicePrimaryCtxRelease(device=%d)" : "cuCtxDestroy(device=%d)")
                        .formatted(device.ordinal()));
    }

    /** Afterwards no callback runs, except in a primary context that others still use. */
    private boolean isLost() {
        int result = ContextCalls.setCurrent(pointer);
        return LostContexts.isLost(result == Results.SUCCESS ? StreamCalls.query(0) : result, "cuCtxSetCurrent()");
    }

    @Override
    void afterClose() {
        UnfinishedWork.closed(this);
        HostFunctions.closed(this);
    }

    /** {@return whose context it is} */
    @Override
    public String toString() {
        return (primary ? "primary context of " : "context of ") + device;
    }
}
