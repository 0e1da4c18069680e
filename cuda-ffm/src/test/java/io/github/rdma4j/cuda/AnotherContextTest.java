// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static io.github.rdma4j.cuda.bindings.CudaHeaders.CUDA_ERROR_ILLEGAL_ADDRESS;
import static io.github.rdma4j.cuda.bindings.CudaHeaders.CUDA_ERROR_INVALID_CONTEXT;
import static io.github.rdma4j.cuda.bindings.CudaHeaders.CUDA_ERROR_UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Calls of streams and events set no context, as long as the driver accepts that. If it reports that none, or a wrong
 * one, is current, they set it and are made once more, with the result of that.
 */
@ExtendWith(StandInDriver.class)
class AnotherContextTest extends DeviceFixture {
    private static final int SIZE = 64;

    private CudaStream stream;
    private CudaEvent event;
    private DeviceMemory memory;
    private HostMemory host;
    private CudaKernel increment;
    private KernelArguments arguments;

    @BeforeEach
    void prepare() {
        stream = context.createStream(context.streamPriorities().greatest());
        event = context.createEvent();
        memory = context.allocate(SIZE);
        memory.fill(0, SIZE, (byte) 0);
        host = context.allocateHost(SIZE);
        host.segment().fill((byte) 3);
        increment = context.loadModule(Kernels.ptx()).kernel("increment");
        arguments = KernelArguments.of(2).setPointer(0, memory).setInt(1, 1);
    }

    private int first() {
        return contents(memory).get(ValueLayout.JAVA_INT, 0);
    }

    private void done(int firstWord) {
        await(stream);
        assertThat(first()).isEqualTo(firstWord);
    }

    private int firstOfHost() {
        await(stream);
        return host.segment().get(ValueLayout.JAVA_INT, 0);
    }

    private void captured() {
        try (CudaGraph graph = stream.capture(CaptureMode.RELAXED, each -> each.fill(memory, 0, SIZE, (byte) 1));
                CudaGraphExec exec = graph.instantiate()) {
            assertThat(stream.isCaptured()).isFalse();
            exec.launch(stream);
            done(0x01010101);
        }
    }

    /** Behind a word that is not written yet. */
    private void held(Runnable check) {
        stream.waitForValue(host, 0, 1, WaitCondition.EQUAL);
        try {
            event.record(stream);
            check.run();
        } finally {
            ValueLayout.JAVA_INT.varHandle().setRelease(host.segment(), 0L, 1);
        }
        await(stream);
    }

    /** A driver call, with a check of its effect. */
    private enum Call {
        STREAM_GET_PRIORITY(
                "cuStreamGetPriority",
                test -> assertThat(test.stream.priority())
                        .isEqualTo(test.context.streamPriorities().greatest())),
        STREAM_QUERY("cuStreamQuery", test -> assertThat(test.stream.isDone()).isTrue()),
        STREAM_QUERY_OF_A_BUSY_ONE(
                "cuStreamQuery",
                test -> test.held(() -> assertThat(test.stream.isDone()).isFalse())),
        EVENT_QUERY("cuEventQuery", test -> assertThat(test.event.isDone()).isTrue()),
        EVENT_QUERY_OF_A_BUSY_ONE(
                "cuEventQuery",
                test -> test.held(() -> assertThat(test.event.isDone()).isFalse())),
        EVENT_RECORD(
                "cuEventRecord",
                test -> test.held(() -> assertThat(test.event.isDone()).isFalse())),
        STREAM_WAIT_EVENT("cuStreamWaitEvent", test -> {
            CudaStream other = test.context.createStream();
            test.held(() -> {
                other.waitFor(test.event);
                assertThat(other.isDone()).isFalse();
            });
            await(other);
        }),
        LAUNCH_HOST_FUNC("cuLaunchHostFunc", test -> {
            AtomicInteger called = new AtomicInteger();
            test.stream.callback(called::incrementAndGet);
            await(test.stream);
            assertThat(called).hasValue(1);
        }),
        STREAM_BEGIN_CAPTURE("cuStreamBeginCapture", AnotherContextTest::captured),
        STREAM_END_CAPTURE("cuStreamEndCapture", AnotherContextTest::captured),
        GRAPH_LAUNCH("cuGraphLaunch", AnotherContextTest::captured),
        LAUNCH_KERNEL("cuLaunchKernel", test -> {
            test.stream.launch(test.increment, 1, 1, test.arguments);
            test.done(1);
        }),
        MEMCPY_TO_DEVICE("cuMemcpyHtoDAsync", test -> {
            test.stream.copyToDevice(test.memory, 0, test.host, 0, SIZE);
            test.done(0x03030303);
        }),
        MEMCPY_TO_HOST("cuMemcpyDtoHAsync", test -> {
            test.stream.copyToHost(test.host, 0, test.memory, 0, SIZE);
            assertThat(test.firstOfHost()).isZero();
        }),
        MEMCPY_ON_DEVICE("cuMemcpyDtoDAsync", test -> {
            test.memory.fill(8, 4, (byte) 5);
            test.stream.copyOnDevice(test.memory, 0, test.memory, 8, 4);
            test.done(0x05050505);
        }),
        MEMSET_BYTES("cuMemsetD8Async", test -> {
            test.stream.fill(test.memory, 0, SIZE, (byte) 2);
            test.done(0x02020202);
        }),
        MEMSET_WORDS("cuMemsetD32Async", test -> {
            test.stream.fillWords(test.memory, 0, 1, 77);
            test.done(77);
        }),
        WAIT_VALUE_32(
                "cuStreamWaitValue32",
                test -> test.held(() -> assertThat(test.stream.isDone()).isFalse())),
        WAIT_VALUE_64("cuStreamWaitValue64", test -> {
            test.stream.waitForValue64(test.host, 8, 1, WaitCondition.EQUAL);
            assertThat(test.stream.isDone()).isFalse();
            ValueLayout.JAVA_LONG.varHandle().setRelease(test.host.segment(), 8L, 1L);
            await(test.stream);
        }),
        WRITE_VALUE_32("cuStreamWriteValue32", test -> {
            test.stream.writeValue(test.host, 0, 9);
            assertThat(test.firstOfHost()).isEqualTo(9);
        }),
        WRITE_VALUE_64("cuStreamWriteValue64", test -> {
            test.stream.writeValue64(test.host, 0, 1L << 40 | 8);
            assertThat(test.firstOfHost()).isEqualTo(8);
            assertThat(test.host.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1L << 40 | 8);
        }),
        BATCH("cuStreamBatchMemOp", test -> {
            test.stream.submit(MemoryOperations.on(test.device, 1).writeValue(test.host, 0, 6));
            assertThat(test.firstOfHost()).isEqualTo(6);
        });

        private final String function;
        private final Consumer<AnotherContextTest> use;

        Call(String function, Consumer<AnotherContextTest> use) {
            this.function = function;
            this.use = use;
        }
    }

    @ParameterizedTest
    @EnumSource
    void callIsMadeAgainInItsContext(Call call) {
        long before = StandInDriver.calls(call.function);
        StandInDriver.failAt(call.function, 1, CUDA_ERROR_INVALID_CONTEXT());
        call.use.accept(this);
        assertThat(StandInDriver.calls(call.function) - before).isGreaterThanOrEqualTo(2);
    }

    /** A thread that used a context whose kernel failed goes on with another one, of another device for instance. */
    @ParameterizedTest
    @EnumSource
    void faultOfAnotherContextIsNotThatOfTheStream(Call call) {
        StandInDriver.failAt(call.function, 1, CUDA_ERROR_ILLEGAL_ADDRESS());
        call.use.accept(this);
    }

    @ParameterizedTest
    @EnumSource
    void failureOfSecondTryIsReported(Call call) {
        StandInDriver.failAt(call.function, 1, CUDA_ERROR_INVALID_CONTEXT());
        StandInDriver.failAt(call.function, 2, CUDA_ERROR_UNKNOWN());
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> call.use.accept(this))
                .satisfies(e -> assertThat(e.result()).isEqualTo(CUDA_ERROR_UNKNOWN()))
                .withMessageStartingWith(call.function);
        assertThat(stream.isCaptured()).isFalse();
        StandInDriver.noFailures();
        stream.fill(memory, 0, SIZE, (byte) 4);
        done(0x04040404);
    }
}
