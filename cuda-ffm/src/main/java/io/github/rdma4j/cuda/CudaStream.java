// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.CopyCalls;
import io.github.rdma4j.cuda.internal.Results;
import io.github.rdma4j.cuda.internal.StreamCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;

/**
 * A queue of work for a device, done in order. Its methods queue and return; {@link #await} and {@link CudaEvent} tell when the work is done.
 *
 * <p>Host memory of a copy must stay as it is, and its arena open, until the copy is done: nothing guards it. Copies to and from memory
 * that is not pinned ({@link HostMemory}) work too, and wait inside the driver.
 *
 * <p>Thread safety: all methods may be called from any thread. They allocate nothing unless said.
 */
public final class CudaStream extends GuardedResource {
    private CudaStream(CudaContext context, long pointer) {
        super(context, pointer);
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
        Objects.checkFromIndexSize(targetOffset, length, target.size());
        Objects.checkFromIndexSize(sourceOffset, length, source.byteSize());
        long to = target.handle() + targetOffset;
        long from = addressOf(source) + sourceOffset;
        enter();
        try {
            int result = CopyCalls.toDeviceAsync(to, from, length, pointer);
            if (result != Results.SUCCESS) {
                Results.check(
                        again(result, () -> CopyCalls.toDeviceAsync(to, from, length, pointer)),
                        "cuMemcpyHtoDAsync(target=0x%x, source=0x%x, length=%d)".formatted(to, from, length));
            }
        } finally {
            exit();
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
        Objects.checkFromIndexSize(targetOffset, length, target.byteSize());
        Objects.checkFromIndexSize(sourceOffset, length, source.size());
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("the target of the copy is read-only");
        }
        long to = addressOf(target) + targetOffset;
        long from = source.handle() + sourceOffset;
        enter();
        try {
            int result = CopyCalls.toHostAsync(to, from, length, pointer);
            if (result != Results.SUCCESS) {
                Results.check(
                        again(result, () -> CopyCalls.toHostAsync(to, from, length, pointer)),
                        "cuMemcpyDtoHAsync(target=0x%x, source=0x%x, length=%d)".formatted(to, from, length));
            }
        } finally {
            exit();
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
        Objects.checkFromIndexSize(targetOffset, length, target.size());
        Objects.checkFromIndexSize(sourceOffset, length, source.size());
        long to = target.handle() + targetOffset;
        long from = source.handle() + sourceOffset;
        long toContext = target.context().handle();
        long fromContext = source.context().handle();
        enter();
        try {
            int result = copyOnDevice(to, toContext, from, fromContext, length);
            if (result != Results.SUCCESS) {
                Results.check(
                        again(result, () -> copyOnDevice(to, toContext, from, fromContext, length)),
                        "copy on device (target=0x%x, source=0x%x, length=%d)".formatted(to, from, length));
            }
        } finally {
            exit();
        }
    }

    private int copyOnDevice(long to, long toContext, long from, long fromContext, long length) {
        return toContext == fromContext
                ? CopyCalls.onDeviceAsync(to, from, length, pointer)
                : CopyCalls.peerAsync(to, toContext, from, fromContext, length, pointer);
    }

    /**
     * Sets bytes of device memory (cuMemsetD8Async).
     *
     * @param target on the device
     * @param offset of the first
     * @param length how many
     * @param value of each
     * @throws IndexOutOfBoundsException if they do not lie within
     */
    public void fill(DeviceMemory target, long offset, long length, byte value) {
        Objects.checkFromIndexSize(offset, length, target.size());
        long to = target.handle() + offset;
        enter();
        try {
            int result = CopyCalls.fill8Async(to, value, length, pointer);
            if (result != Results.SUCCESS) {
                Results.check(
                        again(result, () -> CopyCalls.fill8Async(to, value, length, pointer)),
                        "cuMemsetD8Async(target=0x%x, length=%d)".formatted(to, length));
            }
        } finally {
            exit();
        }
    }

    /**
     * Lets what is queued after this wait until an event is done (cuStreamWaitEvent). The host does not wait.
     *
     * @param event recorded before, of this device or another one; one that was never recorded is done
     */
    public void waitFor(CudaEvent event) {
        event.enter();
        try {
            enter();
            try {
                int result = StreamCalls.waitEvent(pointer, event.pointer, 0);
                if (result != Results.SUCCESS) {
                    Results.check(
                            again(result, () -> StreamCalls.waitEvent(pointer, event.pointer, 0)),
                            "cuStreamWaitEvent()");
                }
            } finally {
                exit();
            }
        } finally {
            event.exit();
        }
    }

    /**
     * Lets what is queued after this wait for a value in memory (cuStreamWaitValue32), which the host, another device or another stream
     * writes. A stream that waits for what never comes cannot be stopped but by writing it.
     *
     * @param memory of the device, or pinned
     * @param offset of the 32-bit value, a multiple of 4
     * @param value what it is compared with
     * @param condition how
     * @throws IndexOutOfBoundsException if it does not lie within
     */
    public void waitForValue(DeviceAddressable memory, long offset, int value, WaitCondition condition) {
        long address = valueAddress(memory, offset);
        enter();
        try {
            int result = StreamCalls.waitValue32(pointer, address, value, condition.code());
            if (result != Results.SUCCESS) {
                Results.check(
                        again(result, () -> StreamCalls.waitValue32(pointer, address, value, condition.code())),
                        "cuStreamWaitValue32(address=0x%x, value=%d, %s)".formatted(address, value, condition));
            }
        } finally {
            exit();
        }
    }

    /**
     * Writes a value to memory when all that was queued before is done (cuStreamWriteValue32).
     *
     * @param memory of the device, or pinned
     * @param offset of the 32-bit value, a multiple of 4
     * @param value what is written
     * @throws IndexOutOfBoundsException if it does not lie within
     */
    public void writeValue(DeviceAddressable memory, long offset, int value) {
        long address = valueAddress(memory, offset);
        enter();
        try {
            int result = StreamCalls.writeValue32(pointer, address, value, 0);
            if (result != Results.SUCCESS) {
                Results.check(
                        again(result, () -> StreamCalls.writeValue32(pointer, address, value, 0)),
                        "cuStreamWriteValue32(address=0x%x, value=%d)".formatted(address, value));
            }
        } finally {
            exit();
        }
    }

    private static long valueAddress(DeviceAddressable memory, long offset) {
        Objects.checkFromIndexSize(offset, Integer.BYTES, memory.size());
        if ((offset & 3) != 0) {
            throw new IllegalArgumentException("offset " + offset + " of a 32-bit value is not a multiple of 4");
        }
        return memory.deviceAddress() + offset;
    }

    /**
     * Whether all that was queued is done (cuStreamQuery).
     *
     * @return whether it is
     * @throws CudaException if it fails, or the work did
     */
    public boolean isDone() {
        enter();
        try {
            int result = StreamCalls.query(pointer);
            if (result == Results.SUCCESS) {
                return true;
            }
            if (result != CudaHeaders.CUDA_ERROR_NOT_READY()) {
                result = again(result, () -> StreamCalls.query(pointer));
            }
            if (result == CudaHeaders.CUDA_ERROR_NOT_READY()) {
                return false;
            }
            Results.check(result, "cuStreamQuery()");
            return true;
        } finally {
            exit();
        }
    }

    /**
     * Waits until all that was queued is done, asking again and again with growing pauses.
     *
     * @param timeout how long at most
     * @return whether it is done; false if the time is over
     * @throws CudaException if the work failed
     * @throws CudaWaitInterruptedException if the thread is interrupted
     */
    public boolean await(Duration timeout) {
        return Waiting.until(this::isDone, timeout, "waiting for a CUDA stream");
    }

    private static long addressOf(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException(
                    "only native memory can be copied to and from a device, and " + segment + " is on the heap");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the arena of the memory to copy is closed");
        }
        return segment.address();
    }

    @Override
    void release() {
        Results.check(StreamCalls.destroy(pointer), "cuStreamDestroy()");
    }

    /** {@return its address} */
    @Override
    public String toString() {
        return "CUDA stream 0x%x".formatted(pointer);
    }
}
