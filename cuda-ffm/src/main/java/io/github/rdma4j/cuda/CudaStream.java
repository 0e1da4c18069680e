// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.GraphCalls;
import io.github.rdma4j.cuda.internal.HostFunctions;
import io.github.rdma4j.cuda.internal.ModuleCalls;
import io.github.rdma4j.cuda.internal.Results;
import io.github.rdma4j.cuda.internal.StreamCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A queue of work for a device, which runs in order. Its methods queue the work and return; {@link #await} and
 * {@link CudaEvent} detect when it is done.
 *
 * <p>Device memory and {@link HostMemory} may be closed while copies of theirs are queued: the close waits for them.
 * You must keep a segment of another arena unchanged, and its arena open, until the copy is done. Copies to and from
 * memory that is not pinned also work, but wait inside the driver.
 *
 * <p>Closing a stream does not wait: its queued work is completed. Only if the driver has no event left, the close
 * waits up to {@link CudaContext#closeTimeout()}.
 *
 * <p>Thread safety: all methods may be called from any thread. Copies, fills, launches, values, {@link #waitFor} and
 * {@link #isDone} allocate nothing on the heap; the other methods may.
 *
 * @since 0.1.0
 */
public final class CudaStream extends GuardedResource {
    private final CallbackFailures callbackFailures = new CallbackFailures();
    /** The capture that receives the work of the thread that captures; null outside a capture. */
    private StreamCapture capture;

    private final DriverCapture driverCapture = new DriverCapture(this);

    private CudaStream(CudaContext context, long pointer) {
        super(context, pointer);
        context.unfinishedWork().opened(this);
    }

    static CudaStream create(CudaContext context, int priority) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment stream = arena.allocate(ValueLayout.JAVA_LONG);
            Results.check(
                    StreamCalls.create(stream, CudaHeaders.CU_STREAM_NON_BLOCKING(), priority),
                    "cuStreamCreateWithPriority(priority=%d)".formatted(priority));
            return new CudaStream(context, stream.get(ValueLayout.JAVA_LONG, 0));
        }
    }

    /** {@return its priority: the lower the more urgent (cuStreamGetPriority)} */
    public int priority() {
        enter();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment priority = arena.allocate(ValueLayout.JAVA_INT);
            int result = StreamCalls.getPriority(pointer, priority);
            Results.check(retry(result, () -> StreamCalls.getPriority(pointer, priority)), "cuStreamGetPriority()");
            return priority.get(ValueLayout.JAVA_INT, 0);
        } finally {
            exit();
        }
    }

    /**
     * Copies host memory to the device (cuMemcpyHtoDAsync).
     *
     * @param target on the device
     * @param targetOffset of the first byte written
     * @param source native memory
     * @param sourceOffset of the first byte read
     * @param length in bytes
     * @throws IndexOutOfBoundsException if one of the two is too short
     */
    public void copyToDevice(
            DeviceMemory target, long targetOffset, MemorySegment source, long sourceOffset, long length) {
        Ranges.check(targetOffset, length, target.size(), target);
        Ranges.check(sourceOffset, length, source.byteSize(), source);
        StreamCopies.toDevice(this, target, targetOffset, StreamCopies.addressOf(source) + sourceOffset, length);
    }

    /**
     * Copies pinned host memory to the device (cuMemcpyHtoDAsync).
     *
     * @param target on the device
     * @param targetOffset of the first byte written
     * @param source pinned
     * @param sourceOffset of the first byte read
     * @param length in bytes
     * @throws IndexOutOfBoundsException if one of the two is too short
     */
    public void copyToDevice(
            DeviceMemory target, long targetOffset, HostMemory source, long sourceOffset, long length) {
        Ranges.check(targetOffset, length, target.size(), target);
        Ranges.check(sourceOffset, length, source.size(), source);
        source.enterFor(this);
        try {
            StreamCopies.toDevice(this, target, targetOffset, source.pointer + sourceOffset, length);
        } finally {
            source.exit();
        }
    }

    /**
     * Copies device memory to the host (cuMemcpyDtoHAsync).
     *
     * @param target native memory
     * @param targetOffset of the first byte written
     * @param source on the device
     * @param sourceOffset of the first byte read
     * @param length in bytes
     * @throws IndexOutOfBoundsException if one of the two is too short
     */
    public void copyToHost(
            MemorySegment target, long targetOffset, DeviceMemory source, long sourceOffset, long length) {
        Ranges.check(targetOffset, length, target.byteSize(), target);
        Ranges.check(sourceOffset, length, source.size(), source);
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("the target of the copy is read-only");
        }
        StreamCopies.toHost(this, StreamCopies.addressOf(target) + targetOffset, source, sourceOffset, length);
    }

    /**
     * Copies device memory to pinned host memory (cuMemcpyDtoHAsync).
     *
     * @param target pinned
     * @param targetOffset of the first byte written
     * @param source on the device
     * @param sourceOffset of the first byte read
     * @param length in bytes
     * @throws IndexOutOfBoundsException if one of the two is too short
     */
    public void copyToHost(HostMemory target, long targetOffset, DeviceMemory source, long sourceOffset, long length) {
        Ranges.check(targetOffset, length, target.size(), target);
        Ranges.check(sourceOffset, length, source.size(), source);
        target.enterFor(this);
        try {
            StreamCopies.toHost(this, target.pointer + targetOffset, source, sourceOffset, length);
        } finally {
            target.exit();
        }
    }

    /**
     * Copies device memory, within this device or from another one (cuMemcpyDtoDAsync, cuMemcpyPeerAsync).
     *
     * @param target on the device
     * @param targetOffset of the first byte written
     * @param source on this device or another one
     * @param sourceOffset of the first byte read
     * @param length in bytes
     * @throws IndexOutOfBoundsException if one of the two is too short
     */
    public void copyOnDevice(
            DeviceMemory target, long targetOffset, DeviceMemory source, long sourceOffset, long length) {
        Ranges.check(targetOffset, length, target.size(), target);
        Ranges.check(sourceOffset, length, source.size(), source);
        StreamCopies.onDevice(this, target, targetOffset, source, sourceOffset, length);
    }

    /**
     * Sets bytes of device memory (cuMemsetD8Async).
     *
     * @param target on the device
     * @param offset of the first byte
     * @param length the number of bytes
     * @param value of each
     * @throws IndexOutOfBoundsException if the range is not inside the memory
     */
    public void fill(DeviceMemory target, long offset, long length, byte value) {
        Ranges.check(offset, length, target.size(), target);
        StreamCopies.fill(this, target, offset, length, value);
    }

    /**
     * Sets 32-bit words of device memory (cuMemsetD32Async).
     *
     * @param target on the device
     * @param offset of the first byte; a multiple of 4
     * @param count how many words
     * @param value of each, in the byte order of the host
     * @throws IndexOutOfBoundsException if the range is not inside the memory
     */
    public void fillWords(DeviceMemory target, long offset, long count, int value) {
        Ranges.checkWords(offset, count, target);
        StreamCopies.fillWords(this, target, offset, count, value);
    }

    /**
     * Makes later work of the stream wait for a value in memory (cuStreamWaitValue32), which the host, another device
     * or another stream writes. A stream that waits for a value can be released only by writing it. CUDA does not know
     * this order, so also order the work by events if the streams share resources.
     *
     * @param memory of the device, or pinned; not managed
     * @param offset of the 32-bit value, a multiple of 4
     * @param value the value to compare with
     * @param condition the comparison
     * @throws IndexOutOfBoundsException if the value is not inside the memory
     * @throws UnsupportedCudaCallException if the device does not support it: {@link CudaDevice#supportsStreamValues}
     */
    public void waitForValue(DeviceAddressable memory, long offset, int value, WaitCondition condition) {
        StreamValues.await32(this, memory, offset, value, condition.code());
    }

    /**
     * {@link #waitForValue} for 64 bits (cuStreamWaitValue64), on devices with
     * {@link DeviceAttribute#CAN_USE_64_BIT_STREAM_MEM_OPS}.
     *
     * @param memory of the device, or pinned; not managed
     * @param offset of the 64-bit value, a multiple of 8
     * @param value the value to compare with
     * @param condition the comparison
     * @throws IndexOutOfBoundsException if the value is not inside the memory
     * @throws UnsupportedCudaCallException if the device does not support it
     */
    public void waitForValue64(DeviceAddressable memory, long offset, long value, WaitCondition condition) {
        StreamValues.await64(this, memory, offset, value, condition.code());
    }

    /**
     * {@link #waitForValue}, followed by a flush of earlier writes of other devices to this device's memory, so that
     * later work of the stream sees them ({@code CU_STREAM_WAIT_VALUE_FLUSH}). Needs
     * {@link DeviceAttribute#CAN_FLUSH_REMOTE_WRITES}.
     *
     * @param memory of the device, or pinned; not managed
     * @param offset of the 32-bit value, a multiple of 4
     * @param value the value to compare with
     * @param condition the comparison
     * @throws IndexOutOfBoundsException if the value is not inside the memory
     * @throws UnsupportedCudaCallException if the device does not support it
     */
    public void waitForValueAndFlush(DeviceAddressable memory, long offset, int value, WaitCondition condition) {
        StreamValues.await32(this, memory, offset, value, condition.code() | CudaHeaders.CU_STREAM_WAIT_VALUE_FLUSH());
    }

    /**
     * Writes a value to memory when all earlier work is done (cuStreamWriteValue32).
     *
     * @param memory of the device, or pinned; not managed
     * @param offset of the 32-bit value, a multiple of 4
     * @param value the value to write
     * @throws IndexOutOfBoundsException if the value is not inside the memory
     * @throws UnsupportedCudaCallException if the device does not support it: {@link CudaDevice#supportsStreamValues}
     */
    public void writeValue(DeviceAddressable memory, long offset, int value) {
        StreamValues.write32(this, memory, offset, value);
    }

    /**
     * {@link #writeValue} for 64 bits (cuStreamWriteValue64), on devices with
     * {@link DeviceAttribute#CAN_USE_64_BIT_STREAM_MEM_OPS}.
     *
     * @param memory of the device, or pinned; not managed
     * @param offset of the 64-bit value, a multiple of 8
     * @param value the value to write
     * @throws IndexOutOfBoundsException if the value is not inside the memory
     * @throws UnsupportedCudaCallException if the device does not support it
     */
    public void writeValue64(DeviceAddressable memory, long offset, long value) {
        StreamValues.write64(this, memory, offset, value);
    }

    /**
     * Waits for values and writes values, one after the other (cuStreamBatchMemOp). You may change the batch after this
     * method returns.
     *
     * @param operations the batch, for this stream's device
     * @throws IllegalStateException if the batch has no operations, or its memory is closed
     * @throws UnsupportedCudaCallException if the device does not support it: {@link CudaDevice#supportsStreamValues}
     */
    public void submit(MemoryOperations operations) {
        operations.enter(this);
        try {
            enter();
            try {
                int count = operations.count();
                long address = operations.address();
                int result = StreamCalls.batch(pointer, count, address, 0);
                if (result != Results.SUCCESS) {
                    operations.require(
                            retry(result, () -> StreamCalls.batch(pointer, count, address, 0)),
                            "cuStreamBatchMemOp(count=" + count + ")");
                }
            } finally {
                exit();
            }
        } finally {
            operations.exit();
        }
    }

    /**
     * Allocates memory of the device's pool, which later work of this stream may use (cuMemAllocAsync). Other streams
     * may use it once this stream has reached this point: see {@link CudaEvent}. Register it with an adapter only after
     * that: until then, earlier work may use the same bytes. Allocates.
     *
     * @param size in bytes, 1 or more
     * @return the memory; {@link #free} frees it in stream order, closing it waits for the whole context
     * @throws UnsupportedCudaCallException if the device has no memory pools
     * @throws OutOfDeviceMemoryException if there is not enough
     */
    public DeviceMemory allocate(long size) {
        requireNotCaptured("memory of the pool");
        return context().create(() -> {
            enter();
            try {
                return DeviceAllocations.pooled(this, size);
            } finally {
                exit();
            }
        });
    }

    /**
     * Frees memory of the pool when all earlier work of this stream is done (cuMemFreeAsync). Work of other streams
     * with the memory must be done by then; make this stream wait for it by an event ({@link #waitFor}). The memory is
     * closed at once.
     *
     * @param memory from {@link #allocate}
     * @throws IllegalArgumentException if it is other memory
     * @throws CudaException if the driver refuses; the memory stays open, and can be freed again
     */
    public void free(DeviceMemory memory) {
        requireNotCaptured("memory of the pool");
        memory.requireOpen();
        if (memory.kind() != DeviceMemory.Kind.POOL || memory.isForeign()) {
            throw new IllegalArgumentException("a stream can only free memory of CudaStream.allocate, not " + memory);
        }
        memory.closeOn(this);
    }

    /**
     * Makes later work of the stream wait until an event is done (cuStreamWaitEvent). The host does not wait.
     *
     * @param event of this device or another one; an event that was never recorded counts as done
     */
    public void waitFor(CudaEvent event) {
        event.enter();
        try {
            enter();
            try {
                StreamCapture other = event.capture();
                if (other != null && capture == null) {
                    driverCapture.begin(() -> waitNow(event));
                    other.join(this);
                } else {
                    waitNow(event);
                }
            } finally {
                exit();
            }
        } finally {
            event.exit();
        }
    }

    private void waitNow(CudaEvent event) {
        int result = StreamCalls.waitEvent(pointer, event.pointer, 0);
        if (result != Results.SUCCESS) {
            Results.check(retry(result, () -> StreamCalls.waitEvent(pointer, event.pointer, 0)), "cuStreamWaitEvent()");
        }
    }

    /**
     * Launches a kernel with one-dimensional grid and blocks, and no dynamic shared memory (cuLaunchKernel).
     *
     * @param kernel of the same context
     * @param grid blocks, 1 or more
     * @param block threads in each, 1 or more
     * @param arguments for the parameters of the kernel; you may change them after this method returns
     */
    public void launch(CudaKernel kernel, int grid, int block, KernelArguments arguments) {
        launch(kernel, grid, 1, 1, block, 1, 1, 0, arguments);
    }

    /**
     * Launches a kernel (cuLaunchKernel).
     *
     * @param kernel of the same context
     * @param gridX blocks in x, 1 or more
     * @param gridY blocks in y
     * @param gridZ blocks in z
     * @param blockX threads of a block in x, 1 or more
     * @param blockY threads of a block in y
     * @param blockZ threads of a block in z
     * @param sharedBytes dynamic shared memory of each block; for more than 48 KiB see
     *     {@link CudaKernel#allowSharedMemory}
     * @param arguments for the parameters of the kernel; you may change them after this method returns
     * @throws IllegalArgumentException if the arguments do not match the kernel, as far as the driver reports its
     *     parameters
     * @throws IllegalStateException if the memory of an argument is closed
     * @throws CudaException if the driver refuses it; a later call reports errors of the running kernel
     */
    public void launch(
            CudaKernel kernel,
            int gridX,
            int gridY,
            int gridZ,
            int blockX,
            int blockY,
            int blockZ,
            int sharedBytes,
            KernelArguments arguments) {
        long parameters = arguments.enter(kernel, this);
        try {
            kernel.enterFor(this);
            try {
                enter();
                try {
                    int result = ModuleCalls.launchKernel(
                            kernel.pointer,
                            gridX,
                            gridY,
                            gridZ,
                            blockX,
                            blockY,
                            blockZ,
                            sharedBytes,
                            pointer,
                            parameters,
                            0);
                    if (result != Results.SUCCESS) {
                        kernel.requireLaunched(
                                retry(
                                        result,
                                        () -> ModuleCalls.launchKernel(
                                                kernel.pointer,
                                                gridX,
                                                gridY,
                                                gridZ,
                                                blockX,
                                                blockY,
                                                blockZ,
                                                sharedBytes,
                                                pointer,
                                                parameters,
                                                0)),
                                this,
                                "grid=%d,%d,%d, block=%d,%d,%d, shared=%d"
                                        .formatted(gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes));
                    }
                } finally {
                    exit();
                }
            } finally {
                kernel.exit();
            }
        } finally {
            arguments.exit();
        }
    }

    /**
     * Calls a function of this program when all earlier work is done; later work waits until it returns
     * (cuLaunchHostFunc). A thread of the driver calls it. It must be short, and must neither use CUDA nor wait for
     * code that does. Its exception is thrown by the next {@link #isDone} or {@link #await} that finds the stream done,
     * or by {@link #close()}, as the cause of a {@link CudaCallbackException}. It is not called if the context has
     * failed before. Wait for it before the program ends: the JVM delays its exit for callbacks by at most two seconds,
     * and a later callback ends the process with a signal. Allocates.
     *
     * @param task the function
     * @throws IllegalStateException if the stream is being captured: a task runs only once
     */
    public void callback(Runnable task) {
        Objects.requireNonNull(task, "task");
        requireNotCaptured("callbacks, which are called once");
        enter();
        try {
            queue(HostFunctions.add(context(), () -> callbackFailures.watch(task)));
        } finally {
            exit();
        }
    }

    /** Queues the call of an entry, which stays in the table only if the driver accepts it. */
    private void queue(long entry) {
        boolean queued = false;
        try {
            int result = StreamCalls.launchHostFunction(pointer, HostFunctions.address(), entry);
            Results.check(
                    retry(result, () -> StreamCalls.launchHostFunction(pointer, HostFunctions.address(), entry)),
                    "cuLaunchHostFunc()");
            queued = true;
        } finally {
            if (!queued) {
                HostFunctions.remove(entry);
            }
        }
    }

    /**
     * Returns whether all queued work is done (cuStreamQuery).
     *
     * @return whether it is
     * @throws CudaException if the call or the work has failed
     * @throws CudaCallbackException if it is done and a callback has thrown an exception; thrown once
     */
    public boolean isDone() {
        enter();
        try {
            int result = StreamCalls.query(pointer);
            if (result != Results.SUCCESS && !isDoneAfter(result)) {
                return false;
            }
        } finally {
            exit();
        }
        callbackFailures.rethrow();
        return true;
    }

    private boolean isDoneAfter(int first) {
        if (first == CudaHeaders.CUDA_ERROR_NOT_READY()) {
            return false;
        }
        int result = retry(first, () -> StreamCalls.query(pointer));
        if (result == CudaHeaders.CUDA_ERROR_NOT_READY()) {
            return false;
        }
        Results.check(result, "cuStreamQuery()");
        return true;
    }

    /**
     * Waits until all queued work is done. Polls with growing pauses. Allocates.
     *
     * @param timeout the longest wait
     * @return whether it is done; false at the timeout
     * @throws CudaException if the work failed
     * @throws CudaCallbackException if a callback has thrown an exception; thrown once
     * @throws CudaWaitInterruptedException if the thread is interrupted
     */
    public boolean await(Duration timeout) {
        return Waiting.until(this::isDone, timeout, "waiting for a CUDA stream");
    }

    /**
     * Captures work: instead of running, the work becomes a graph (cuStreamBeginCapture, cuStreamEndCapture). A stream
     * that waits for an event of a captured stream is also captured. The first stream must wait for that stream in the
     * same way before the capture ends.
     *
     * <p>Copies, fills, launches of kernels, values, batches and events can be captured. Callbacks, launches of graphs
     * and memory of the pool cannot. A call that the mode forbids invalidates the capture.
     *
     * @param mode which calls are forbidden during the capture, and on which threads
     * @param work submits the work to this stream; runs in this thread
     * @return the graph
     * @throws IllegalStateException if the stream is already being captured, or on a virtual thread with another mode
     *     than {@link CaptureMode#RELAXED}: blocking may move it to another platform thread, which must not end the
     *     capture
     * @throws CudaException if the driver refuses it, or the capture was invalidated
     */
    public CudaGraph capture(CaptureMode mode, Consumer<CudaStream> work) {
        Objects.requireNonNull(work, "work");
        if (Thread.currentThread().isVirtual() && mode != CaptureMode.RELAXED) {
            throw new IllegalStateException(
                    "capture(" + mode + ") on a virtual thread: after it has blocked, it may continue"
                            + " on another platform thread, which must not end the capture. Use CaptureMode.RELAXED");
        }
        StreamCapture begun = beginCapture(mode);
        boolean finished = false;
        try {
            work.accept(this);
            finished = true;
        } finally {
            if (!finished) {
                begun.end();
                driverCapture.abandon();
                begun.driverEnded();
            }
        }
        try {
            begun.end();
            return driverCapture.end(begun);
        } finally {
            begun.driverEnded();
        }
    }

    private StreamCapture beginCapture(CaptureMode mode) {
        requireNotCaptured("a second capture");
        enter();
        try {
            driverCapture.begin(() -> {
                int result = GraphCalls.beginCapture(pointer, mode.code());
                Results.check(
                        retry(result, () -> GraphCalls.beginCapture(pointer, mode.code())),
                        "cuStreamBeginCapture(mode=" + mode + ")");
            });
        } finally {
            exit();
        }
        StreamCapture begun = new StreamCapture();
        begun.join(this);
        return begun;
    }

    /** {@return whether submitted work becomes part of a graph; for the thread that captures} */
    public boolean isCaptured() {
        return capture != null;
    }

    /**
     * Adds a dependency of the captured work to the graph.
     *
     * @param dependency called at each launch, as often as it was added
     * @return false if the stream is not being captured; then nothing was added
     */
    public boolean captureDependency(GraphDependency dependency) {
        Objects.requireNonNull(dependency, "dependency");
        if (capture == null) {
            return false;
        }
        capture.uses().add(dependency);
        return true;
    }

    StreamCapture capture() {
        return capture;
    }

    void captureInto(StreamCapture current) {
        capture = current;
    }

    DriverCapture driverCapture() {
        return driverCapture;
    }

    @Override
    void uses(GuardedResource resource) {
        if (capture != null) {
            capture.uses().add(resource);
        }
    }

    private void requireNotCaptured(String what) {
        if (capture != null) {
            throw new IllegalStateException(this + " is being captured, but " + what + " cannot be captured");
        }
    }

    /**
     * Records an event after its work, so that code that frees the resources of the work can wait for it. If the driver
     * refuses the event, waits for the work here: a destroyed stream cannot be queried.
     */
    @Override
    void abandon(long deadline) {
        if (!Waiting.until(driverCapture::recordEnd, deadline)) {
            throw new CudaCloseTimeoutException(this + " is not destroyed, though closed to new uses: its work is not"
                    + " done after " + TimeText.of(context().closeTimeout())
                    + ", and the driver refuses the event that would show"
                    + " when it is done. Write the value that the stream may still wait for, or free device memory, and"
                    + " close this again");
        }
    }

    @Override
    void release() {
        driverCapture.release();
        Results.check(StreamCalls.destroy(pointer), "cuStreamDestroy()");
        callbackFailures.rethrowAtClose();
    }

    @Override
    void afterClose() {
        context().unfinishedWork().closed(this);
    }

    /** {@return its address} */
    @Override
    public String toString() {
        return "CUDA stream 0x%x".formatted(pointer);
    }
}
