// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static io.github.rdma4j.cuda.bindings.CudaHeaders.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Each call that an operation makes into the driver fails in turn, with two results. Then the exception must name the
 * call, the result and the remedy, nothing that the operation created may be left, and a second attempt must succeed.
 */
@ExtendWith(StandInDriver.class)
class FaultInjectionTest {
    private static final int SIZE = 4096;
    private static final int MOST_CALLS = 100;
    private static final Map<Integer, String> RESULTS =
            Map.of(CUDA_ERROR_UNKNOWN(), "CUDA_ERROR_UNKNOWN", CUDA_ERROR_OUT_OF_MEMORY(), "CUDA_ERROR_OUT_OF_MEMORY");
    /** For the last two results the library makes further calls to explain the failure, and these can also fail. */
    private static final Map<Integer, String> FIRST_OF_TWO = Map.of(
            CUDA_ERROR_UNKNOWN(), "CUDA_ERROR_UNKNOWN",
            CUDA_ERROR_OUT_OF_MEMORY(), "CUDA_ERROR_OUT_OF_MEMORY",
            CUDA_ERROR_INVALID_VALUE(), "CUDA_ERROR_INVALID_VALUE",
            CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES(), "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");

    /** The objects that an operation uses, created without failures. */
    private static final class World implements AutoCloseable {
        final Arena arena = Arena.ofShared();
        final CudaContext context = Cuda.device(0).createContext();
        final CudaContext other = Cuda.device(1).createContext();
        final DeviceMemory memory = context.allocate(SIZE);
        final DeviceMemory gpuDirect = context.allocateGpuDirect(SIZE);
        final HostMemory host = context.allocateHost(SIZE);
        final CudaStream stream = context.createStream();
        final CudaEvent start = context.createEvent(EventFlag.TIMING);
        final CudaEvent end = context.createEvent(EventFlag.TIMING);
        final CudaEvent shared = context.createEvent(EventFlag.INTERPROCESS);
        final CudaModule module = context.loadModule(Kernels.ptx());
        final CudaKernel increment = module.kernel("increment");
        final KernelArguments arguments =
                KernelArguments.of(2).setPointer(0, memory).setInt(1, 4);
        final MemoryOperations batch =
                MemoryOperations.on(Cuda.device(0), 2).writeValue(host, 0, 1).writeValue(host, 4, 2);
        final CudaGraphExec executable =
                stream.capture(CaptureMode.THREAD_LOCAL, s -> s.submit(batch)).instantiate();

        World() {
            start.record(stream);
            end.record(stream);
            DeviceFixture.await(stream);
        }

        @Override
        public void close() {
            context.close();
            other.close();
            arena.close();
        }
    }

    /**
     * An operation to test.
     *
     * @param calls that it makes into the driver, at least
     * @param operation gives what it has made, or null
     */
    private record Case(String name, int calls, Function<World, AutoCloseable> operation) {}

    private static Case makes(String name, int calls, Function<World, AutoCloseable> operation) {
        return new Case(name, calls, operation);
    }

    private static Case does(String name, int calls, Consumer<World> operation) {
        return new Case(name, calls, world -> {
            operation.accept(world);
            return null;
        });
    }

    /** Creates an object from a graph, and closes the graph if that fails. */
    private static AutoCloseable kept(CudaGraph graph, Function<CudaGraph, AutoCloseable> operation) {
        try {
            return operation.apply(graph);
        } catch (RuntimeException e) {
            try {
                graph.close();
            } catch (CudaException undoing) {
                e.addSuppressed(undoing);
            }
            throw e;
        }
    }

    private static Stream<Case> cases() {
        return Stream.of(
                makes("context", 5, world -> Cuda.device(0).createContext()),
                makes("context with a flag", 8, world -> Cuda.device(0).createContext(ContextFlag.SYNC_MEMOPS)),
                makes("primary context", 5, world -> Cuda.device(0).retainPrimaryContext()),
                makes("memory", 3, world -> world.context.allocate(SIZE)),
                makes("memory for adapters", 8, world -> world.context.allocateGpuDirect(SIZE)),
                makes("managed memory", 2, world -> world.context.allocateManaged(SIZE)),
                makes("memory of others", 11, world -> world.context.wrap(world.memory.deviceAddress(), SIZE)),
                makes("host memory", 3, world -> world.context.allocateHost(SIZE)),
                makes("registered memory", 3, world -> world.context.registerHost(world.arena.allocate(SIZE, SIZE))),
                makes("stream", 2, world -> world.context.createStream()),
                makes("event", 2, world -> world.context.createEvent()),
                makes("module", 2, world -> world.context.loadModule(Kernels.ptx())),
                makes("dma-buf", 3, world -> world.gpuDirect.exportDmaBuf(0, SIZE)),
                makes("memory of a pool", 3, world -> world.stream.allocate(SIZE)),
                does("kernel by its name", 6, world -> world.module.kernel("sum")),
                does("devices", 9, world -> Cuda.devices()),
                does("attribute", 1, world -> world.context.device().attribute(DeviceAttribute.values()[0])),
                does("peers", 1, world -> world.context.device().canAccessPeer(world.other.device())),
                does("peer access", 4, world -> {
                    world.context.enablePeerAccess(world.other);
                    world.context.disablePeerAccess(world.other);
                }),
                does("current context", 1, world -> world.context.makeCurrent()),
                does("synchronous operations", 2, world -> world.context.synchronizeMemoryOperations()),
                does("free memory", 2, world -> world.context.freeMemory()),
                does("priorities", 2, world -> world.context.streamPriorities()),
                does("pointer attributes", 11, world -> world.context.pointerAttributes(world.memory.deviceAddress())),
                does("copies", 11, world -> {
                    world.memory.copyFrom(world.host.segment());
                    world.memory.copyTo(world.host.segment());
                    world.memory.fill(0, 16, (byte) 1);
                    world.memory.fillWords(0, 4, 1);
                }),
                does("copies in a stream", 5, world -> {
                    world.stream.copyToDevice(world.memory, 0, world.host, 0, SIZE);
                    world.stream.copyToHost(world.host, 0, world.memory, 0, SIZE);
                    world.stream.copyOnDevice(world.memory, 0, world.memory, 1024, 16);
                    world.stream.fill(world.memory, 0, 16, (byte) 1);
                    world.stream.isDone();
                }),
                does("wait for a stream", 1, world -> DeviceFixture.await(world.stream)),
                does("stream values", 2, world -> {
                    world.host.segment().set(ValueLayout.JAVA_INT, 0, 1);
                    world.stream.waitForValue(world.host, 0, 1, WaitCondition.AT_LEAST);
                    world.stream.writeValue(world.host, 0, 2);
                }),
                does("batch of memory operations", 1, world -> world.stream.submit(world.batch)),
                makes(
                        "graph",
                        3,
                        world -> kept(world.context.createGraph(), graph -> {
                            graph.add(world.batch, graph.add(world.batch));
                            return graph;
                        })),
                makes(
                        "captured graph",
                        4,
                        world -> kept(
                                world.stream.capture(
                                        CaptureMode.THREAD_LOCAL,
                                        s -> s.launch(world.increment, 1, 32, world.arguments)),
                                graph -> {
                                    CudaGraphExec executable = graph.instantiate();
                                    return () -> {
                                        executable.close();
                                        graph.close();
                                    };
                                })),
                does("launch of a graph", 1, world -> world.executable.launch(world.stream)),
                does("callback", 1, world -> world.stream.callback(() -> {})),
                does("event in a stream", 3, world -> {
                    world.start.record(world.stream);
                    world.stream.waitFor(world.start);
                    world.start.isDone();
                }),
                does("time between events", 2, world -> world.end.millisecondsSince(world.start)),
                does("handles for other processes", 14, world -> {
                    world.memory.exportHandle();
                    world.shared.exportHandle();
                }),
                does("kernel", 5, world -> {
                    world.increment.attribute(KernelAttribute.values()[0]);
                    world.increment.occupancy(0, 0);
                    world.stream.launch(world.increment, 1, 32, world.arguments);
                }));
    }

    @TestFactory
    Stream<DynamicTest> eachCallFailsInTurn() {
        return cases().map(test -> DynamicTest.dynamicTest(test.name(), () -> failEach(test)));
    }

    /** Undoing a failed step or closing the rest can also fail. The program needs the first failure. */
    @TestFactory
    Stream<DynamicTest> firstOfTwoFailuresIsReported() {
        Case whole = does("a context with all that it may have", 20, world -> {
            try (CudaContext context = Cuda.device(0).createContext()) {
                context.allocate(SIZE);
                context.allocateGpuDirect(SIZE);
                context.allocateHost(SIZE);
                context.registerHost(world.arena.allocate(SIZE, SIZE));
                context.createStream();
                context.createEvent();
                context.createGraph();
                context.loadModule(Kernels.ptx());
            }
        });
        return Stream.concat(
                cases().map(test -> DynamicTest.dynamicTest(test.name(), () -> failTwice(test, FIRST_OF_TWO))),
                Stream.of(DynamicTest.dynamicTest(
                        whole.name(), () -> failTwice(whole, Map.of(CUDA_ERROR_UNKNOWN(), "CUDA_ERROR_UNKNOWN")))));
    }

    private static void failTwice(Case test, Map<Integer, String> results) throws Exception {
        Set<String> problems = new TreeSet<>();
        int pairs = 0;
        for (Map.Entry<Integer, String> result : results.entrySet()) {
            int code = result.getKey();
            int first = 1;
            for (Outcome alone = outcome(test, first, code, 0);
                    alone.fired();
                    alone = outcome(test, ++first, code, 0)) {
                // An operation that succeeds without the call, or returns the failure as its result, has no exception
                // to hide.
                if (alone.failure() == null || !alone.failure().contains(result.getValue())) {
                    continue;
                }
                int second = 1;
                for (Outcome both = outcome(test, first, code, second);
                        both.fired();
                        both = outcome(test, first, code, ++second)) {
                    pairs++;
                    assertThat(second).as("calls of the driver").isLessThan(MOST_CALLS);
                    if (both.failure() == null || !both.failure().contains(result.getValue())) {
                        problems.add("%s, but with the %d. call after it: %s"
                                .formatted(alone.failure(), second, both.failure()));
                    }
                }
            }
        }
        System.out.printf("fault injection: %s: %d pairs of failures%n", test.name(), pairs);
        assertThat(problems).isEmpty();
    }

    /**
     * The result of an operation, as its program sees it.
     *
     * @param fired whether every call that was set to fail has been made
     * @param failure null if no exception was thrown
     */
    private record Outcome(boolean fired, String failure) {}

    /** Makes one call fail and, if {@code second} is not 0, also the call that comes that many calls later. */
    private static Outcome outcome(Case test, int first, int code, int second) throws Exception {
        StandInDriver.reset();
        StandInDriver.devices(2);
        try (World world = new World()) {
            end(test.operation().apply(world));
            StandInDriver.failAt("*", first, code);
            if (second > 0) {
                StandInDriver.thenFailAt("*", second, CUDA_ERROR_OPERATING_SYSTEM());
            }
            String failure = null;
            try {
                end(test.operation().apply(world));
            } catch (RuntimeException e) {
                failure = describe(e);
            }
            boolean fired = !StandInDriver.isPending();
            StandInDriver.noFailures();
            return new Outcome(fired, failure);
        }
    }

    /** With its causes, and not with what is suppressed; without addresses. */
    private static String describe(Throwable failure) {
        String text = failure.toString().replaceAll("0x[0-9a-f]+", "0x…");
        return failure.getCause() == null ? text : text + " by " + describe(failure.getCause());
    }

    private static void failEach(Case test) throws Exception {
        List<String> failed = new ArrayList<>();
        for (Map.Entry<Integer, String> result : RESULTS.entrySet()) {
            int calls = 0;
            while (fail(test, calls + 1, result.getKey(), result.getValue(), failed)) {
                calls++;
                assertThat(calls).as("calls of the driver").isLessThan(MOST_CALLS);
            }
            assertThat(calls).as("calls of the driver: %s", failed).isGreaterThanOrEqualTo(test.calls());
        }
        System.out.printf("fault injection: %s: %d failures: %s%n", test.name(), failed.size(), new TreeSet<>(failed));
    }

    /** Whether there was an n-th call. */
    private static boolean fail(Case test, int n, int code, String result, List<String> failed) throws Exception {
        StandInDriver.reset();
        StandInDriver.devices(2);
        try (World world = new World()) {
            // Once for what the library keeps for good.
            end(test.operation().apply(world));
            Map<String, Long> before = StandInDriver.open();
            StandInDriver.failAt("*", n, code);
            AutoCloseable made = null;
            CudaException failure = null;
            try {
                made = test.operation().apply(world);
            } catch (CudaException e) {
                failure = e;
            } catch (CudaUnavailableException e) {
                assertThat(e.remedy()).as("remedy of %s", e).isNotBlank();
                failure = (CudaException) e.getCause();
            }
            boolean fired = failure != null || !isPending(world);
            StandInDriver.noFailures();
            if (failure != null) {
                assertThat(failure.call()).as("call %d", n).startsWith("cu").contains("(");
                assertThat(failure.resultName()).isEqualTo(result);
                assertThat(failure.remedy()).as("remedy of %s", failure).isNotBlank();
                failed.add(failure.call().replaceFirst("\\(.*", ""));
            } else {
                assertThat(fired).as("call %d failed without an exception", n).isFalse();
                end(made);
            }
            assertThat(StandInDriver.open())
                    .as("left behind by call %d, %s", n, failure)
                    .isEqualTo(before);
            assertThatCode(() -> end(test.operation().apply(world)))
                    .as("the second try")
                    .doesNotThrowAnyException();
            assertThat(StandInDriver.open()).isEqualTo(before);
            return fired;
        } finally {
            assertThat(StandInDriver.open()).as("what is left open").isEmpty();
        }
    }

    /** Whether the failure still waits for its call. */
    private static boolean isPending(World world) {
        for (int i = 0; i < MOST_CALLS; i++) {
            try {
                world.context.freeMemory();
            } catch (CudaException e) {
                return true;
            }
        }
        return false;
    }

    private static void end(AutoCloseable made) throws Exception {
        if (made != null) {
            made.close();
        }
    }
}
