// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Batches that are used again, and that are refused. */
@ExtendWith(StandInDriver.class)
class MemoryOperationsTest extends DeviceFixture {
    @BeforeEach
    void everyOperation() {
        StandInDriver.attribute(DeviceAttribute.CAN_FLUSH_REMOTE_WRITES.code(), 1);
    }

    private HostMemory words() {
        HostMemory words = context.allocateHost(64);
        words.segment().fill((byte) 0);
        return words;
    }

    /** Each kind of operation lies where another one lay before: nothing of that may be left. */
    @Test
    void batchIsFilledAgainWithOtherOperations() {
        HostMemory words = words();
        CudaStream stream = context.createStream();
        MemoryOperations batch = MemoryOperations.on(device, MemoryOperations.MOST);
        assertThat(batch.capacity()).isEqualTo(MemoryOperations.MOST);
        // All bits of a value and of its flags.
        batch.writeValue64(words, 8, -1).waitForValue64(words, 8, -1, WaitCondition.AND);
        batch.writeValue(words, 0, -1).waitForValue(words, 0, 5, WaitCondition.AND);
        stream.submit(batch);
        await(stream);
        batch.clear().waitForValue(words, 0, -1, WaitCondition.EQUAL);
        batch.writeValue(words, 4, 7).flushRemoteWrites().barrier(BarrierScope.SYSTEM);
        assertThat(batch.count()).isEqualTo(4);
        long flushes = StandInDriver.get("flushes.stream");
        stream.submit(batch);
        await(stream);
        assertThat(words.segment().get(ValueLayout.JAVA_INT, 4)).isEqualTo(7);
        assertThat(StandInDriver.get("flushes.stream") - flushes).isEqualTo(1);
        batch.clear().waitForValue(words, 0, 1, WaitCondition.AT_LEAST).writeValue(words, 4, 8);
        words.segment().set(ValueLayout.JAVA_INT, 0, 0);
        stream.submit(batch);
        assertThat(stream.await(Duration.ofMillis(5))).isFalse();
        ValueLayout.JAVA_INT.varHandle().setRelease(words.segment(), 0L, 2);
        await(stream);
        assertThat(words.segment().get(ValueLayout.JAVA_INT, 4)).isEqualTo(8);
    }

    /** Of a barrier and a flush nothing comes back: what the driver is given is read. */
    @Test
    void barriersAndFlushesHaveTheirFlags() {
        MemoryOperations batch = MemoryOperations.on(device, 1);
        MemorySegment operation = MemorySegment.ofAddress(batch.address()).reinterpret(2 * Integer.BYTES);
        assertThat(batch.barrier(BarrierScope.DEVICE).count()).isEqualTo(1);
        assertThat(operation.toArray(ValueLayout.JAVA_INT))
                .containsExactly(
                        CudaHeaders.CU_STREAM_MEM_OP_BARRIER(), CudaHeaders.CU_STREAM_MEMORY_BARRIER_TYPE_GPU());
        batch.clear().flushRemoteWrites();
        assertThat(operation.toArray(ValueLayout.JAVA_INT))
                .containsExactly(CudaHeaders.CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES(), 0);
        batch.clear().barrier(BarrierScope.DEVICE).clear().barrier(BarrierScope.SYSTEM);
        assertThat(operation.toArray(ValueLayout.JAVA_INT))
                .containsExactly(
                        CudaHeaders.CU_STREAM_MEM_OP_BARRIER(), CudaHeaders.CU_STREAM_MEMORY_BARRIER_TYPE_SYS());
    }

    /** The call must leave the memory that it entered before it met the closed one, or nobody could close it. */
    @Test
    void batchWithClosedMemoryHoldsNone() {
        HostMemory open = words();
        HostMemory gone = words();
        CudaStream stream = context.createStream();
        MemoryOperations batch = MemoryOperations.on(device, 3)
                .writeValue(open, 0, 1)
                .flushRemoteWrites()
                .writeValue(gone, 0, 1);
        gone.close();
        assertThatIllegalStateException().isThrownBy(() -> stream.submit(batch)).withMessage(gone + " is closed");
        assertThat(stream.isDone()).isTrue();
        assertThat(open.segment().get(ValueLayout.JAVA_INT, 0)).isZero();
        open.close();
        assertThat(batch).hasToString("3 of 3 memory operations");
    }

    @Test
    void memoryOfThePoolIsFreedOnceAndNotInACapture() {
        CudaStream stream = context.createStream();
        DeviceMemory memory = stream.allocate(64);
        stream.capture(CaptureMode.RELAXED, captured -> {
                    assertThatIllegalStateException()
                            .isThrownBy(() -> captured.free(memory))
                            .withMessageContaining("is being captured, but memory of the pool cannot be captured");
                    captured.fill(memory, 0, 64, (byte) 0);
                })
                .close();
        assertThat(memory.isOpen()).isTrue();
        stream.free(memory);
        assertThatIllegalStateException().isThrownBy(() -> stream.free(memory)).withMessage(memory + " is closed");
        assertThat(stream.toString()).isEqualTo("CUDA stream 0x%x".formatted(stream.handle()));
    }
}
