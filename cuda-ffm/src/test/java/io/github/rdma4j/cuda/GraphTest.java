// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.GraphCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Batches and graphs, on the stand-in. */
@ExtendWith(StandInDriver.class)
class GraphTest extends GraphBehaviour {
    @Override
    @AfterEach
    void closeContext() {
        super.closeContext();
        assertThat(StandInDriver.open()).as("what is left open").isEmpty();
    }

    @Test
    void missingDeviceFeatureIsRefusedBeforeTheCall() {
        HostMemory words = context.allocateHost(64);
        StandInDriver.attribute(DeviceAttribute.CAN_USE_64_BIT_STREAM_MEM_OPS.code(), 0);
        StandInDriver.attribute(DeviceAttribute.CAN_USE_STREAM_WAIT_VALUE_NOR.code(), 0);
        MemoryOperations batch = MemoryOperations.on(device, 4);
        long calls = StandInDriver.get("calls.cuStreamBatchMemOp");
        assertThatThrownBy(() -> batch.writeValue64(words, 0, 1))
                .isInstanceOf(UnsupportedCudaCallException.class)
                .hasMessageContaining("CAN_USE_64_BIT_STREAM_MEM_OPS");
        assertThatThrownBy(() -> batch.waitForValue64(words, 0, 1, WaitCondition.EQUAL))
                .isInstanceOf(UnsupportedCudaCallException.class);
        assertThatThrownBy(() -> batch.waitForValue(words, 0, 1, WaitCondition.NOR))
                .isInstanceOf(UnsupportedCudaCallException.class)
                .hasMessageContaining("NOR");
        assertThatThrownBy(batch::flushRemoteWrites)
                .isInstanceOf(UnsupportedCudaCallException.class)
                .hasMessageContaining("CAN_FLUSH_REMOTE_WRITES")
                .hasMessageContaining("flushGpuDirectWrites");
        assertThat(batch.count()).isZero();
        assertThat(StandInDriver.get("calls.cuStreamBatchMemOp")).isEqualTo(calls);
    }

    @Test
    void streamFlushesWhereTheDeviceCan() {
        StandInDriver.attribute(DeviceAttribute.CAN_FLUSH_REMOTE_WRITES.code(), 1);
        CudaStream stream = context.createStream();
        stream.submit(MemoryOperations.on(device, 1).flushRemoteWrites());
        await(stream);
        assertThat(StandInDriver.get("flushes.stream")).isEqualTo(1);
    }

    @Test
    void driverWithoutBatchesIsReported() {
        StandInDriver.missing("cuStreamBatchMemOp");
        assertThatExceptionOfType(UnsupportedCudaCallException.class)
                .isThrownBy(() -> MemoryOperations.on(device, 1))
                .withMessageContaining("11.7");
    }

    /** As the driver has it: all or nothing. */
    @Test
    void batchThatIsRefusedDoesNothing() {
        HostMemory words = context.allocateHost(64);
        words.segment().fill((byte) 0);
        CudaStream stream = context.createStream();
        MemoryOperations batch =
                MemoryOperations.on(device, 4).writeValue(words, 0, 1).writeValue64(words, 8, 1);
        StandInDriver.attribute(DeviceAttribute.CAN_USE_64_BIT_STREAM_MEM_OPS.code(), 0);
        assertThatThrownBy(() -> stream.submit(batch)).isInstanceOf(UnsupportedCudaCallException.class);
        await(stream);
        assertThat(words.segment().get(ValueLayout.JAVA_INT, 0)).isZero();
    }

    /** Otherwise the stream would go on capturing unnoticed. */
    @Test
    void captureThatIsGivenUpEndsAlthoughTheDriverRefusesItOnce() {
        CudaStream stream = context.createStream();
        DeviceMemory memory = context.allocate(16);
        memory.fill(0, 16, (byte) 0);
        IllegalArgumentException mine = new IllegalArgumentException("mine");
        StandInDriver.failAt("cuStreamEndCapture", 1, CudaHeaders.CUDA_ERROR_UNKNOWN());
        assertThatThrownBy(() -> stream.capture(CaptureMode.RELAXED, captured -> {
                    captured.fill(memory, 0, 16, (byte) 1);
                    throw mine;
                }))
                .isSameAs(mine);
        stream.fill(memory, 0, 16, (byte) 2);
        await(stream);
        assertThat(contents(memory).toArray(ValueLayout.JAVA_BYTE)).containsOnly(2);
        assertThat(StandInDriver.open()).doesNotContainKey("graphs");
    }

    /**
     * cuda-ffm cannot see a capture that other code began. The driver refuses the launch and invalidates the capture.
     */
    @Test
    void driverRefusesALaunchInACapture() {
        CudaStream stream = context.createStream();
        HostMemory words = context.allocateHost(64);
        CudaGraph graph = context.createGraph();
        graph.add(MemoryOperations.on(device, 1).writeValue(words, 0, 1));
        CudaGraphExec executable = graph.instantiate();
        Results.check(GraphCalls.beginCapture(stream.pointer, CaptureMode.RELAXED.code()), "cuStreamBeginCapture()");
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> executable.launch(stream))
                .withMessageContaining("STREAM_CAPTURE_UNSUPPORTED")
                .withMessageContaining("Call it before or after the capture");
        assertThat(GraphCalls.endCapture(stream.pointer, arena.allocate(ValueLayout.JAVA_LONG)))
                .isEqualTo(CudaHeaders.CUDA_ERROR_STREAM_CAPTURE_INVALIDATED());
        executable.launch(stream);
        await(stream);
    }
}
