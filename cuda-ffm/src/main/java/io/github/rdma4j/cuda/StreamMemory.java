// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.Results;
import io.github.rdma4j.cuda.internal.StreamCalls;
import java.lang.foreign.MemorySegment;

/** What a {@link CudaStream} does to memory: copies, fills, and values that it waits for or writes. */
abstract sealed class StreamMemory extends GuardedResource permits CudaStream {
    StreamMemory(CudaContext context, long pointer) {
        super(context, pointer);
    }

    private CudaStream stream() {
        return (CudaStream) this;
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
        StreamCopies.toDevice(stream(), target, targetOffset, StreamCopies.addressOf(source) + sourceOffset, length);
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
            StreamCopies.toDevice(stream(), target, targetOffset, source.pointer + sourceOffset, length);
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
        StreamCopies.toHost(stream(), StreamCopies.addressOf(target) + targetOffset, source, sourceOffset, length);
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
            StreamCopies.toHost(stream(), target.pointer + targetOffset, source, sourceOffset, length);
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
        StreamCopies.onDevice(stream(), target, targetOffset, source, sourceOffset, length);
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
        Ranges.check(offset, length, target.size(), target);
        StreamCopies.fill(stream(), target, offset, length, value);
    }

    /**
     * Sets 32-bit words of device memory (cuMemsetD32Async).
     *
     * @param target on the device
     * @param offset of the first byte; a multiple of 4
     * @param count how many words
     * @param value of each, in the byte order of the host
     * @throws IndexOutOfBoundsException if they do not lie within
     */
    public void fillWords(DeviceMemory target, long offset, long count, int value) {
        Ranges.checkWords(offset, count, target);
        StreamCopies.fillWords(stream(), target, offset, count, value);
    }

    /**
     * Lets what is queued after this wait for a value in memory (cuStreamWaitValue32), which the host, another device
     * or another stream writes. A stream that waits for what never comes cannot be stopped but by writing it; and CUDA
     * does not see this order, so give it the same by events where it could do two things at once.
     *
     * @param memory of the device, or pinned; not managed
     * @param offset of the 32-bit value, a multiple of 4
     * @param value what it is compared with
     * @param condition how
     * @throws IndexOutOfBoundsException if it does not lie within
     * @throws UnsupportedCudaCallException if the device does not do it: {@link CudaDevice#supportsStreamValues}
     */
    public void waitForValue(DeviceAddressable memory, long offset, int value, WaitCondition condition) {
        StreamValues.await32(stream(), memory, offset, value, condition.code());
    }

    /**
     * {@link #waitForValue} for 64 bits (cuStreamWaitValue64), where the device has
     * {@link DeviceAttribute#CAN_USE_64_BIT_STREAM_MEM_OPS}.
     *
     * @param memory of the device, or pinned; not managed
     * @param offset of the 64-bit value, a multiple of 8
     * @param value what it is compared with
     * @param condition how
     * @throws IndexOutOfBoundsException if it does not lie within
     * @throws UnsupportedCudaCallException if the device does not do it
     */
    public void waitForValue64(DeviceAddressable memory, long offset, long value, WaitCondition condition) {
        StreamValues.await64(stream(), memory, offset, value, condition.code());
    }

    /**
     * {@link #waitForValue}, and then a flush of what other devices wrote to this device's memory before, so that what
     * is queued after this sees it ({@code CU_STREAM_WAIT_VALUE_FLUSH}); where the device has
     * {@link DeviceAttribute#CAN_FLUSH_REMOTE_WRITES}.
     *
     * @param memory of the device, or pinned; not managed
     * @param offset of the 32-bit value, a multiple of 4
     * @param value what it is compared with
     * @param condition how
     * @throws IndexOutOfBoundsException if it does not lie within
     * @throws UnsupportedCudaCallException if the device does not do it
     */
    public void waitForValueAndFlush(DeviceAddressable memory, long offset, int value, WaitCondition condition) {
        StreamValues.await32(
                stream(), memory, offset, value, condition.code() | CudaHeaders.CU_STREAM_WAIT_VALUE_FLUSH());
    }

    /**
     * Writes a value to memory when all that was queued before is done (cuStreamWriteValue32).
     *
     * @param memory of the device, or pinned; not managed
     * @param offset of the 32-bit value, a multiple of 4
     * @param value what is written
     * @throws IndexOutOfBoundsException if it does not lie within
     * @throws UnsupportedCudaCallException if the device does not do it: {@link CudaDevice#supportsStreamValues}
     */
    public void writeValue(DeviceAddressable memory, long offset, int value) {
        StreamValues.write32(stream(), memory, offset, value);
    }

    /**
     * {@link #writeValue} for 64 bits (cuStreamWriteValue64), where the device has
     * {@link DeviceAttribute#CAN_USE_64_BIT_STREAM_MEM_OPS}.
     *
     * @param memory of the device, or pinned; not managed
     * @param offset of the 64-bit value, a multiple of 8
     * @param value what is written
     * @throws IndexOutOfBoundsException if it does not lie within
     * @throws UnsupportedCudaCallException if the device does not do it
     */
    public void writeValue64(DeviceAddressable memory, long offset, long value) {
        StreamValues.write64(stream(), memory, offset, value);
    }

    /**
     * Waits for values and writes values, one after the other (cuStreamBatchMemOp). The batch may be changed as soon as
     * this returns.
     *
     * @param operations what is done, for this stream's device
     * @throws IllegalStateException if it has no operations, or memory of one is closed
     * @throws UnsupportedCudaCallException if the device does not do it: {@link CudaDevice#supportsStreamValues}
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
                            again(result, () -> StreamCalls.batch(pointer, count, address, 0)),
                            "cuStreamBatchMemOp(count=" + count + ")");
                }
            } finally {
                exit();
            }
        } finally {
            operations.exit();
        }
    }
}
