// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches of memory operations, and graphs: on a GPU and on the stand-in alike. */
abstract class GraphBehaviour extends DeviceFixture {
    private static final int READY = 2;

    private CudaStream stream;
    private DeviceMemory memory;
    private CudaKernel increment;
    private KernelArguments arguments;

    @BeforeEach
    void prepare() {
        stream = context.createStream();
        memory = context.allocate(64);
        memory.fill(0, 64, (byte) 0);
        increment = context.loadModule(Kernels.ptx()).kernel("increment");
        arguments = KernelArguments.of(2).setPointer(0, memory).setInt(1, 1);
    }

    private HostMemory words() {
        HostMemory words = context.allocateHost(64);
        words.segment().fill((byte) 0);
        return words;
    }

    private static int word(HostMemory words, int index) {
        return (int) ValueLayout.JAVA_INT.varHandle().getAcquire(words.segment(), 4L * index);
    }

    private static void set(HostMemory words, int index, int value) {
        ValueLayout.JAVA_INT.varHandle().setRelease(words.segment(), 4L * index, value);
    }

    private int counter() {
        return contents(memory).get(ValueLayout.JAVA_INT, 0);
    }

    private MemoryOperations batch() {
        return MemoryOperations.on(device, 8);
    }

    @Test
    void batchIsDoneInOrder() {
        HostMemory words = words();
        MemoryOperations batch = batch().waitForValue(words, 0, 1, WaitCondition.EQUAL)
                .writeValue(words, 4, 10)
                .barrier(BarrierScope.SYSTEM)
                .writeValue(words, 8, 20)
                .waitForValue(words, 12, READY, WaitCondition.AND)
                .barrier(BarrierScope.DEVICE)
                .writeValue(words, 16, 30);
        assertThat(batch.count()).isEqualTo(7);
        stream.submit(batch);
        // The driver has its own copy.
        batch.clear().writeValue(words, 20, 40);
        assertThat(stream.isDone()).isFalse();
        assertThat(word(words, 1)).isZero();
        set(words, 0, 1);
        awaitWord(words, 2, 20);
        assertThat(word(words, 1)).isEqualTo(10);
        assertThat(word(words, 4)).isZero();
        set(words, 3, READY | 1);
        await(stream);
        assertThat(word(words, 4)).isEqualTo(30);
        assertThat(word(words, 5)).isZero();
        stream.submit(batch);
        await(stream);
        assertThat(word(words, 5)).isEqualTo(40);
    }

    /** Waits for the device, without a call of the driver. */
    private static void awaitWord(HostMemory words, int index, int value) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (word(words, index) != value) {
            assertThat(System.nanoTime())
                    .as("word %d is %d", index, word(words, index))
                    .isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    @Test
    void valuesOf64BitsAreInBatchesToo() {
        if (!device.has(DeviceAttribute.CAN_USE_64_BIT_STREAM_MEM_OPS)) {
            return;
        }
        HostMemory words = words();
        stream.submit(batch().writeValue64(words, 8, 1L << 40)
                .waitForValue64(words, 8, 1L << 40, WaitCondition.EQUAL)
                .writeValue64(words, 16, -3));
        await(stream);
        assertThat(words.segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(1L << 40);
        assertThat(words.segment().get(ValueLayout.JAVA_LONG, 16)).isEqualTo(-3);
    }

    @Test
    void batchRefusesWhatItCannotHold() {
        HostMemory words = words();
        MemoryOperations batch = MemoryOperations.on(device, 1);
        assertThatIllegalStateException().isThrownBy(() -> stream.submit(batch)).withMessageContaining("no operations");
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> batch.writeValue(words, 64, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> batch.writeValue(words, 2, 1));
        assertThat(batch.count()).isZero();
        batch.writeValue(words, 0, 1);
        assertThatIllegalStateException()
                .isThrownBy(() -> batch.writeValue(words, 4, 1))
                .withMessageContaining("full");
        assertThatIllegalArgumentException().isThrownBy(() -> MemoryOperations.on(device, 256));
        assertThatIllegalArgumentException().isThrownBy(() -> MemoryOperations.on(device, 0));
        words.close();
        assertThatIllegalStateException().isThrownBy(() -> stream.submit(batch)).withMessageContaining("closed");
    }

    @Test
    void capturedWorkRunsAtEachLaunch() {
        HostMemory back = context.allocateHost(64);
        CudaGraph graph = stream.capture(CaptureMode.THREAD_LOCAL, captured -> {
            assertThat(captured.isCaptured()).isTrue();
            captured.launch(increment, 1, 32, arguments);
            captured.copyToHost(back, 0, memory, 0, 64);
        });
        assertThat(stream.isCaptured()).isFalse();
        await(stream);
        assertThat(counter()).as("captured, not done").isZero();
        CudaGraphExec executable = graph.instantiate();
        graph.close();
        for (int i = 1; i <= 5; i++) {
            executable.launch(stream);
            await(stream);
            assertThat(back.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(i);
        }
        executable.launch(stream);
        // The launched work is done nevertheless.
        executable.close();
        await(stream);
        assertThat(counter()).isEqualTo(6);
        assertThatIllegalStateException().isThrownBy(() -> executable.launch(stream));
        assertThatIllegalStateException().isThrownBy(graph::instantiate);
    }

    @Test
    void wordsThatAreSetBackServeEveryLaunch() {
        HostMemory words = words();
        CudaGraph graph = context.createGraph();
        GraphNode ask = graph.add(batch().writeValue(words, 0, 1));
        GraphNode answer = graph.add(
                batch().waitForValue(words, 4, READY, WaitCondition.AND).writeValue(words, 4, 0), ask);
        graph.add(
                stream.capture(CaptureMode.RELAXED, captured -> captured.launch(increment, 1, 32, arguments)), answer);
        CudaGraphExec executable = graph.instantiate();
        for (int i = 0; i < 3; i++) {
            executable.launch(stream);
        }
        for (int i = 0; i < 3; i++) {
            awaitWord(words, 0, 1);
            assertThat(stream.isDone()).isFalse();
            set(words, 0, 0);
            set(words, 1, READY);
        }
        await(stream);
        assertThat(counter()).isEqualTo(3);
    }

    @Test
    void launchesOfOneGraphAreDoneOneAfterTheOther() {
        HostMemory words = words();
        CudaStream other = context.createStream();
        CudaGraphExec executable = stream.capture(CaptureMode.THREAD_LOCAL, captured -> {
                    captured.waitForValue(words, 0, 1, WaitCondition.EQUAL);
                    captured.writeValue(words, 4, 1);
                })
                .instantiate();
        executable.launch(stream);
        executable.launch(other);
        set(words, 0, 1);
        await(stream);
        await(other);
        assertThat(word(words, 1)).isEqualTo(1);
    }

    @Test
    void resourcesOfTheWorkMustBeOpenAtLaunch() {
        CudaGraphExec executable = stream.capture(
                        CaptureMode.THREAD_LOCAL, captured -> captured.launch(increment, 1, 32, arguments))
                .instantiate();
        executable.launch(stream);
        await(stream);
        memory.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> executable.launch(stream))
                .withMessageContaining("is closed");
        HostMemory words = words();
        CudaGraph graph = context.createGraph();
        graph.add(batch().writeValue(words, 0, 1));
        CudaGraph outer = context.createGraph();
        outer.add(graph);
        CudaGraphExec values = outer.instantiate();
        values.launch(stream);
        await(stream);
        words.close();
        assertThatIllegalStateException().isThrownBy(() -> values.launch(stream));
    }

    @Test
    void dependencyIsAskedAtEachLaunch() {
        List<String> asked = new ArrayList<>();
        AtomicInteger agrees = new AtomicInteger(2);
        GraphDependency dependency = new GraphDependency() {
            @Override
            public void beginLaunch() {
                if (agrees.decrementAndGet() < 0) {
                    throw new IllegalStateException("gone");
                }
                asked.add("begin");
            }

            @Override
            public void endLaunch(boolean launched) {
                asked.add(launched ? "launched" : "not launched");
            }
        };
        assertThat(stream.captureDependency(dependency)).isFalse();
        CudaGraph graph = stream.capture(CaptureMode.THREAD_LOCAL, captured -> {
            captured.launch(increment, 1, 32, arguments);
            assertThat(captured.captureDependency(dependency)).isTrue();
        });
        graph.instantiate().launch(stream);
        assertThat(asked).containsExactly("begin", "launched");
        CudaGraph outer = context.createGraph();
        outer.add(graph);
        outer.require(dependency);
        assertThat(asked).hasSize(2);
        CudaGraphExec both = outer.instantiate();
        assertThatIllegalStateException().isThrownBy(() -> both.launch(stream)).withMessage("gone");
        assertThat(asked).containsExactly("begin", "launched", "begin", "not launched");
        await(stream);
        assertThat(counter()).isEqualTo(1);
    }

    @Test
    void launchCannotBeCaptured() {
        CudaGraphExec one = stream.capture(
                        CaptureMode.THREAD_LOCAL, captured -> captured.launch(increment, 1, 32, arguments))
                .instantiate();
        CudaGraphExec two = stream.capture(CaptureMode.THREAD_LOCAL, captured -> {
                    captured.launch(increment, 1, 32, arguments);
                    assertThatIllegalStateException()
                            .isThrownBy(() -> one.launch(captured))
                            .withMessageContaining("is being captured")
                            .withMessageContaining("CudaGraph.add");
                    captured.launch(increment, 1, 32, arguments);
                })
                .instantiate();
        two.launch(stream);
        await(stream);
        assertThat(counter()).isEqualTo(2);
    }

    @Test
    void streamsAreCapturedTogether() {
        CudaStream other = context.createStream();
        CudaEvent fork = context.createEvent();
        CudaEvent join = context.createEvent();
        DeviceMemory second = context.allocate(64);
        CudaGraphExec executable = stream.capture(CaptureMode.THREAD_LOCAL, captured -> {
                    captured.launch(increment, 1, 32, arguments);
                    fork.record(captured);
                    other.waitFor(fork);
                    other.copyOnDevice(second, 0, memory, 0, 64);
                    join.record(other);
                    captured.waitFor(join);
                })
                .instantiate();
        executable.launch(stream);
        executable.launch(stream);
        await(stream);
        assertThat(contents(second).get(ValueLayout.JAVA_INT, 0)).isEqualTo(2);
        second.close();
        assertThatIllegalStateException().isThrownBy(() -> executable.launch(stream));
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> stream.capture(CaptureMode.THREAD_LOCAL, captured -> {
                    fork.record(captured);
                    other.waitFor(fork);
                    other.fill(memory, 0, 64, (byte) 1);
                }))
                .withMessageContaining("UNJOINED")
                .withMessageContaining("must wait for an event");
        assertThat(other.isCaptured()).isFalse();
        stream.launch(increment, 1, 32, arguments);
        await(stream);
    }

    @Test
    void forbiddenCallSpoilsTheCapture() {
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> stream.capture(CaptureMode.THREAD_LOCAL, captured -> {
                    captured.fill(memory, 0, 64, (byte) 1);
                    assertThatExceptionOfType(CudaException.class).isThrownBy(() -> context.allocate(64));
                }))
                .withMessageContaining("INVALIDATED")
                .withMessageContaining("CaptureMode");
        assertThatIllegalStateException()
                .isThrownBy(() -> stream.capture(CaptureMode.THREAD_LOCAL, captured -> {
                    throw new IllegalStateException("of the program");
                }));
        CudaGraph relaxed = stream.capture(CaptureMode.RELAXED, captured -> {
            context.allocate(64).close();
            captured.fillWords(memory, 0, 1, 7);
        });
        relaxed.instantiate().launch(stream);
        await(stream);
        assertThat(counter()).isEqualTo(7);
    }

    /** A captured stream cannot be queried, and neither can its context, so closing memory must not query them. */
    @ParameterizedTest
    @EnumSource(
            value = CaptureMode.class,
            names = {"THREAD_LOCAL", "RELAXED"})
    void closeByAnotherThreadLeavesACaptureAlone(CaptureMode mode) {
        DeviceMemory plain = context.allocate(64);
        HostMemory pinned = context.allocateHost(64);
        CudaModule module = context.loadModule(Kernels.ptx());
        CudaStream other = context.createStream();
        CudaEvent fork = context.createEvent();
        CudaEvent join = context.createEvent();
        CudaGraph graph = stream.capture(mode, captured -> {
            fork.record(captured);
            other.waitFor(fork);
            captured.launch(increment, 1, 32, arguments);
            CompletableFuture.runAsync(() -> {
                        plain.close();
                        pinned.close();
                        module.close();
                    })
                    .orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                    .join();
            join.record(other);
            captured.waitFor(join);
        });
        graph.instantiate().launch(stream);
        await(stream);
        assertThat(counter()).isEqualTo(1);
    }

    /** The memory is used by what the streams were given before their capture. */
    @Test
    void workFromBeforeACaptureIsWaitedFor() {
        HostMemory flag = context.allocateHost(4);
        flag.segment().set(ValueLayout.JAVA_INT, 0, 0);
        CudaStream other = context.createStream();
        CudaEvent fork = context.createEvent();
        CudaEvent join = context.createEvent();
        for (CudaStream busy : List.of(stream, other)) {
            DeviceMemory used = context.allocate(64);
            busy.waitForValue(flag, 0, 1, WaitCondition.EQUAL);
            busy.fill(used, 0, 64, (byte) 1);
            context.setCloseTimeout(Duration.ofMillis(20));
            try {
                stream.capture(CaptureMode.RELAXED, captured -> {
                            fork.record(captured);
                            other.waitFor(fork);
                            assertThatExceptionOfType(CudaCloseTimeoutException.class)
                                    .isThrownBy(used::close);
                            join.record(other);
                            captured.waitFor(join);
                        })
                        .close();
                assertThat(used.isOpen()).isTrue();
            } finally {
                flag.segment().set(ValueLayout.JAVA_INT, 0, 1);
                context.setCloseTimeout(LIMIT);
            }
            await(busy);
            used.close();
            flag.segment().set(ValueLayout.JAVA_INT, 0, 0);
        }
    }

    @Test
    void callsThatCannotBeCapturedAreRefused() {
        CudaGraph graph = stream.capture(CaptureMode.RELAXED, captured -> {
            assertThatIllegalStateException().isThrownBy(() -> captured.callback(() -> {}));
            assertThatIllegalStateException().isThrownBy(() -> captured.allocate(64));
            assertThatIllegalStateException()
                    .isThrownBy(() -> captured.capture(CaptureMode.RELAXED, again -> {}))
                    .withMessageContaining("being captured");
        });
        CudaGraph other = context.createGraph();
        GraphNode node = other.add(batch().writeValue(words(), 0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> graph.add(graph));
        assertThatIllegalArgumentException().isThrownBy(() -> graph.add(batch().writeValue(words(), 0, 1), node));
        try (CudaContext stranger = device.createContext()) {
            CudaGraphExec executable = graph.instantiate();
            assertThatIllegalArgumentException().isThrownBy(() -> executable.launch(stranger.createStream()));
        }
    }

    @Test
    void onAVirtualThreadOnlyARelaxedCaptureIsBegun() throws InterruptedException {
        AtomicInteger refused = new AtomicInteger();
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        stream.capture(CaptureMode.THREAD_LOCAL, captured -> {});
                    } catch (IllegalStateException e) {
                        refused.incrementAndGet();
                    }
                    stream.capture(CaptureMode.RELAXED, captured -> captured.launch(increment, 1, 32, arguments))
                            .instantiate()
                            .launch(stream);
                })
                .join();
        await(stream);
        assertThat(refused).hasValue(1);
        assertThat(counter()).isEqualTo(1);
    }
}
