// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CUstreamBatchMemOpParams_union;
import io.github.rdma4j.cuda.bindings.CUstreamBatchMemOpParams_union.CUstreamMemOpFlushRemoteWritesParams_st;
import io.github.rdma4j.cuda.bindings.CUstreamBatchMemOpParams_union.CUstreamMemOpMemoryBarrierParams_st;
import io.github.rdma4j.cuda.bindings.CUstreamBatchMemOpParams_union.CUstreamMemOpWaitValueParams_st;
import io.github.rdma4j.cuda.bindings.CUstreamBatchMemOpParams_union.CUstreamMemOpWriteValueParams_st;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.Results;
import io.github.rdma4j.cuda.internal.StreamCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/**
 * A batch of values that a stream waits for and writes, in one call ({@code cuStreamBatchMemOp}) or one node of a
 * graph. The device runs them without the host, in the order in which they were added, and at a lower cost than single
 * calls. An operation that the device does not support is refused when it is added.
 *
 * <p>The operations are off the heap and can be used for any number of {@link CudaStream#submit} and
 * {@link CudaGraph#add}, each of which copies them. {@link #clear()} and adding again allocate nothing. A batch need
 * not be closed.
 *
 * <p>A stream that waits for a value can be released only by writing it. CUDA does not see this order, so also order
 * the work of several streams by events.
 *
 * <p>Thread safety: one thread at a time.
 *
 * @since 0.1.0
 */
public final class MemoryOperations {
    /** The most operations of a batch. */
    public static final int MOST = 255;

    private static final long SIZE = CUstreamBatchMemOpParams_union.sizeof();

    private final CudaDevice device;
    private final boolean wide;
    private final boolean nor;
    private final boolean flush;
    private final int capacity;
    private final MemorySegment operations;
    /** The memory whose address the operation contains, or null: it is kept open during a use. */
    private final GuardedResource[] memories;

    private int count;

    private MemoryOperations(CudaDevice device, int capacity) {
        this.device = device;
        this.capacity = capacity;
        wide = device.has(DeviceAttribute.CAN_USE_64_BIT_STREAM_MEM_OPS);
        nor = device.has(DeviceAttribute.CAN_USE_STREAM_WAIT_VALUE_NOR);
        flush = device.has(DeviceAttribute.CAN_FLUSH_REMOTE_WRITES);
        operations = Arena.ofAuto().allocate(capacity * SIZE, Long.BYTES);
        memories = new GuardedResource[capacity];
    }

    /**
     * Creates an empty batch. The capabilities of the device are queried now.
     *
     * @param device the device whose streams will run the operations
     * @param capacity the highest number of operations, 1 to {@link #MOST}
     * @return the batch
     * @throws IllegalArgumentException if the capacity is out of range
     * @throws UnsupportedCudaCallException if the driver is older than CUDA 11.7
     */
    public static MemoryOperations on(CudaDevice device, int capacity) {
        if (capacity < 1 || capacity > MOST) {
            throw new IllegalArgumentException("a batch of %d operations; it has 1 to %d".formatted(capacity, MOST));
        }
        StreamCalls.requireBatches();
        return new MemoryOperations(device, capacity);
    }

    /** {@return the number of operations} */
    public int count() {
        return count;
    }

    /** {@return the most operations} */
    public int capacity() {
        return capacity;
    }

    /**
     * Removes all operations.
     *
     * @return this
     */
    public MemoryOperations clear() {
        for (int i = 0; i < count; i++) {
            memories[i] = null;
        }
        count = 0;
        return this;
    }

    /**
     * Adds a wait for a value of 32 bits; see {@link CudaStream#waitForValue}.
     *
     * @param memory of the device, or pinned; not managed
     * @param offset of the value, a multiple of 4
     * @param value the value to compare with
     * @param condition the comparison
     * @return this
     * @throws IndexOutOfBoundsException if the value is not inside the memory
     * @throws IllegalStateException if the batch is full, or the memory closed
     * @throws UnsupportedCudaCallException if the device lacks the condition
     */
    public MemoryOperations waitForValue(DeviceAddressable memory, long offset, int value, WaitCondition condition) {
        requireNor(condition);
        long at = next(memory, offset, Integer.BYTES);
        putWait(at, CudaHeaders.CU_STREAM_MEM_OP_WAIT_VALUE_32(), memory.deviceAddress() + offset, condition.code());
        operations.set(ValueLayout.JAVA_INT, at + CUstreamMemOpWaitValueParams_st.value$offset(), value);
        return added(memory);
    }

    /**
     * Adds a wait for a value of 64 bits, on devices with {@link DeviceAttribute#CAN_USE_64_BIT_STREAM_MEM_OPS}.
     *
     * @param memory of the device, or pinned; not managed
     * @param offset of the value, a multiple of 8
     * @param value the value to compare with
     * @param condition the comparison
     * @return this
     * @throws IndexOutOfBoundsException if the value is not inside the memory
     * @throws IllegalStateException if the batch is full, or the memory closed
     * @throws UnsupportedCudaCallException if the device lacks values of 64 bits, or the condition
     */
    public MemoryOperations waitForValue64(DeviceAddressable memory, long offset, long value, WaitCondition condition) {
        requireWide();
        requireNor(condition);
        long at = next(memory, offset, Long.BYTES);
        putWait(at, CudaHeaders.CU_STREAM_MEM_OP_WAIT_VALUE_64(), memory.deviceAddress() + offset, condition.code());
        operations.set(ValueLayout.JAVA_LONG, at + CUstreamMemOpWaitValueParams_st.value64$offset(), value);
        return added(memory);
    }

    /**
     * Adds a write of a value of 32 bits, after all earlier writes of the stream: a reader that sees the value also
     * sees them.
     *
     * @param memory of the device, or pinned; not managed
     * @param offset of the value, a multiple of 4
     * @param value the value to write
     * @return this
     * @throws IndexOutOfBoundsException if the value is not inside the memory
     * @throws IllegalStateException if the batch is full, or the memory closed
     */
    public MemoryOperations writeValue(DeviceAddressable memory, long offset, int value) {
        long at = next(memory, offset, Integer.BYTES);
        putWrite(at, CudaHeaders.CU_STREAM_MEM_OP_WRITE_VALUE_32(), memory.deviceAddress() + offset);
        operations.set(ValueLayout.JAVA_INT, at + CUstreamMemOpWriteValueParams_st.value$offset(), value);
        return added(memory);
    }

    /**
     * Adds a write of a value of 64 bits, after all earlier writes of the stream, on devices with
     * {@link DeviceAttribute#CAN_USE_64_BIT_STREAM_MEM_OPS}.
     *
     * @param memory of the device, or pinned; not managed
     * @param offset of the value, a multiple of 8
     * @param value the value to write
     * @return this
     * @throws IndexOutOfBoundsException if the value is not inside the memory
     * @throws IllegalStateException if the batch is full, or the memory closed
     * @throws UnsupportedCudaCallException if the device lacks values of 64 bits
     */
    public MemoryOperations writeValue64(DeviceAddressable memory, long offset, long value) {
        requireWide();
        long at = next(memory, offset, Long.BYTES);
        putWrite(at, CudaHeaders.CU_STREAM_MEM_OP_WRITE_VALUE_64(), memory.deviceAddress() + offset);
        operations.set(ValueLayout.JAVA_LONG, at + CUstreamMemOpWriteValueParams_st.value64$offset(), value);
        return added(memory);
    }

    /**
     * Adds a flush that makes earlier writes of other devices, such as adapters, to this device's memory visible to
     * later work of the stream ({@code CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES}). Needs
     * {@link DeviceAttribute#CAN_FLUSH_REMOTE_WRITES}.
     *
     * @return this
     * @throws IllegalStateException if the batch is full
     * @throws UnsupportedCudaCallException if the device cannot; see {@link CudaContext#flushGpuDirectWrites}
     */
    public MemoryOperations flushRemoteWrites() {
        if (!flush) {
            throw unsupported(
                    "CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES",
                    "does not flush the writes of other devices in stream order: CAN_FLUSH_REMOTE_WRITES is 0."
                            + " CudaContext.flushGpuDirectWrites does it from the host");
        }
        long at = next();
        operations.set(
                ValueLayout.JAVA_INT,
                at + CUstreamMemOpFlushRemoteWritesParams_st.operation$offset(),
                CudaHeaders.CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES());
        operations.set(ValueLayout.JAVA_INT, at + CUstreamMemOpFlushRemoteWritesParams_st.flags$offset(), 0);
        return added(null);
    }

    /**
     * Adds a barrier between earlier and later writes of the stream ({@code CU_STREAM_MEM_OP_BARRIER}).
     *
     * @param scope where the order holds
     * @return this
     * @throws IllegalStateException if the batch is full
     */
    public MemoryOperations barrier(BarrierScope scope) {
        long at = next();
        operations.set(
                ValueLayout.JAVA_INT,
                at + CUstreamMemOpMemoryBarrierParams_st.operation$offset(),
                CudaHeaders.CU_STREAM_MEM_OP_BARRIER());
        operations.set(ValueLayout.JAVA_INT, at + CUstreamMemOpMemoryBarrierParams_st.flags$offset(), scope.code());
        return added(null);
    }

    private void requireWide() {
        if (!wide) {
            throw unsupported("values of 64 bits", "has no CAN_USE_64_BIT_STREAM_MEM_OPS: use values of 32 bits");
        }
    }

    private void requireNor(WaitCondition condition) {
        if (condition == WaitCondition.NOR && !nor) {
            throw unsupported("CU_STREAM_WAIT_VALUE_NOR", "has no CAN_USE_STREAM_WAIT_VALUE_NOR");
        }
    }

    private UnsupportedCudaCallException unsupported(String what, String why) {
        return new UnsupportedCudaCallException("cuStreamBatchMemOp(%s)".formatted(what), device + " " + why);
    }

    private void putWait(long at, int operation, long address, int flags) {
        operations.set(ValueLayout.JAVA_INT, at + CUstreamMemOpWaitValueParams_st.operation$offset(), operation);
        operations.set(ValueLayout.JAVA_LONG, at + CUstreamMemOpWaitValueParams_st.address$offset(), address);
        operations.set(ValueLayout.JAVA_INT, at + CUstreamMemOpWaitValueParams_st.flags$offset(), flags);
    }

    /** The calls of current drivers (v2) refuse NO_MEMORY_BARRIER, the only other flag. */
    private void putWrite(long at, int operation, long address) {
        operations.set(ValueLayout.JAVA_INT, at + CUstreamMemOpWriteValueParams_st.operation$offset(), operation);
        operations.set(ValueLayout.JAVA_LONG, at + CUstreamMemOpWriteValueParams_st.address$offset(), address);
        operations.set(
                ValueLayout.JAVA_INT,
                at + CUstreamMemOpWriteValueParams_st.flags$offset(),
                CudaHeaders.CU_STREAM_WRITE_VALUE_DEFAULT());
    }

    /** Returns the offset of the next operation. */
    private long next(DeviceAddressable memory, long offset, int bytes) {
        Ranges.check(offset, bytes, memory.size(), memory);
        Ranges.requireMultiple(offset, bytes);
        return next();
    }

    private long next() {
        if (count == capacity) {
            throw new IllegalStateException("the batch is full: it was created for %d operations, and the most are %d"
                    .formatted(capacity, MOST));
        }
        return count * SIZE;
    }

    /** Counts the operation, after all checks. */
    private MemoryOperations added(DeviceAddressable memory) {
        memories[count++] = (GuardedResource) memory;
        return this;
    }

    /** Begins a use; {@link #exit()} must follow. */
    void enter(GuardedResource user) {
        if (count == 0) {
            throw new IllegalStateException("the batch has no operations");
        }
        for (int i = 0; i < count; i++) {
            if (memories[i] != null) {
                enter(i, user);
            }
        }
    }

    private void enter(int index, GuardedResource user) {
        try {
            memories[index].enterFor(user);
        } catch (IllegalStateException e) {
            exit(index);
            throw e;
        }
    }

    void exit() {
        exit(count);
        // Keeps this reachable: until now the driver may read the operations, of which it only has the address.
        Reference.reachabilityFence(this);
    }

    private void exit(int end) {
        for (int i = 0; i < end; i++) {
            if (memories[i] != null) {
                memories[i].exit();
            }
        }
    }

    /** Returns the address for the driver, valid between {@link #enter} and {@link #exit()}. */
    long address() {
        return operations.address();
    }

    /** Adds the memory of all operations to the resources of a graph. */
    void addTo(GraphUses uses) {
        for (int i = 0; i < count; i++) {
            if (memories[i] != null) {
                uses.add(memories[i]);
            }
        }
    }

    /** Throws if the driver has refused the batch. */
    void require(int result, String call) {
        if (result == CudaHeaders.CUDA_ERROR_NOT_SUPPORTED()) {
            throw new UnsupportedCudaCallException(
                    call,
                    device
                            + " does not support this memory operation in stream order: see CudaDevice.supportsStreamValues()");
        }
        Results.check(result, call);
    }

    /** {@return the number of operations and the capacity} */
    @Override
    public String toString() {
        return "%d of %d memory operations".formatted(count, capacity);
    }
}
