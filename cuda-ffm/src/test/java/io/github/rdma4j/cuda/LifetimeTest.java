// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Objects that are closed: in which order, twice, and while other threads use them. */
@ExtendWith(StandInDriver.class)
class LifetimeTest {
    private static final int ROUNDS = 40;
    private static final int THREADS = 3;

    private CudaContext context;

    @BeforeEach
    void open() {
        context = Cuda.device(0).createContext();
    }

    @AfterEach
    void close() {
        context.close();
        assertThat(StandInDriver.open()).as("what is left open").isEmpty();
    }

    /**
     * Freeing memory waits for the work that uses it, and that work may wait until a dependent of the context is
     * closed.
     */
    @Test
    void objectsOutsideCudaAreClosedFirst() {
        CudaContext context = Cuda.device(0).createContext();
        context.setCloseTimeout(Duration.ofSeconds(20));
        CudaStream stream = context.createStream();
        HostMemory word = context.allocateHost(4);
        word.segment().set(ValueLayout.JAVA_INT, 0, 0);
        context.addDependent(() -> ValueLayout.JAVA_INT.varHandle().setRelease(word.segment(), 0L, 1));
        HostMemory younger = context.allocateHost(4);
        stream.waitForValue(word, 0, 1, WaitCondition.EQUAL);
        stream.writeValue(younger, 0, 2);
        context.close();
        assertThat(context.isOpen()).isFalse();
    }

    @Test
    void errorOfAFreeIsThrownAfterTheClose() {
        CudaContext context = Cuda.device(0).createContext();
        DeviceMemory memory = context.allocate(64);
        AtomicInteger calls = new AtomicInteger();
        context.adopt(memory.deviceAddress(), 64, () -> {
            calls.incrementAndGet();
            throw new AssertionError("of the program");
        });
        assertThatThrownBy(context::close).isInstanceOf(AssertionError.class).hasMessage("of the program");
        assertThat(context.isOpen()).isFalse();
        context.close();
        assertThat(calls).hasValue(1);
    }

    /** A context lives as long as its program, which opens and closes what belongs to it again and again. */
    @Test
    void closedResourceIsForgotten() throws InterruptedException {
        Map<String, WeakReference<Object>> closed = new LinkedHashMap<>();
        List<Supplier<CudaResource>> kinds = List.of(
                () -> context.allocate(64),
                () -> context.allocateGpuDirect(64),
                () -> context.allocateManaged(64),
                () -> context.allocateHost(64),
                () -> context.createStream(),
                () -> context.createEvent(EventFlag.TIMING),
                () -> context.loadModule(Kernels.ptx()),
                () -> Cuda.device(0).createContext(),
                () -> Cuda.device(0).retainPrimaryContext());
        for (Supplier<CudaResource> kind : kinds) {
            CudaResource made = kind.get();
            made.close();
            closed.put(made.toString(), new WeakReference<>(made));
        }
        CudaStream stream = context.createStream();
        DeviceMemory pooled = stream.allocate(64);
        stream.fill(pooled, 0, 64, (byte) 1);
        stream.free(pooled);
        closed.put(pooled.toString(), new WeakReference<>(pooled));
        pooled = null;
        DeviceMemory filled = context.allocate(64);
        CudaGraphExec graph = stream.capture(
                        CaptureMode.THREAD_LOCAL, captured -> captured.fill(filled, 0, 64, (byte) 2))
                .instantiate();
        graph.close();
        closed.put(graph.toString(), new WeakReference<>(graph));
        graph = null;
        for (int i = 0; i < 100 && !closed.isEmpty(); i++) {
            System.gc();
            Thread.sleep(5);
            closed.values().removeIf(each -> each.get() == null);
        }
        assertThat(closed.keySet()).as("what is still referred to").isEmpty();
    }

    /** The driver keeps an entry on the stack of the thread that made a context, if another one destroys it. */
    @Test
    void threadThatMakesAContextIsLeftAsItWas() throws InterruptedException {
        try (RawDriver cuda = new RawDriver()) {
            context.makeCurrent();
            for (ContextFlag[] flags : new ContextFlag[][] {{}, {ContextFlag.SYNC_MEMOPS}}) {
                CudaContext made = Cuda.device(0).createContext(flags);
                assertThat(cuda.made("cuCtxGetCurrent_v4000")).isEqualTo(context.handle());
                Thread.ofPlatform().start(made::close).join();
                assertThat(made.isOpen()).isFalse();
            }
            cuda.ok("cuCtxSetCurrent_v4000", 0);
            assertThat(cuda.made("cuCtxGetCurrent_v4000")).isZero();
        }
    }

    @Test
    void contextClosesAllYoungestFirst() {
        DeviceMemory memory = context.allocate(64);
        CudaStream stream = context.createStream();
        HostMemory pinned = context.allocateHost(64);
        CudaKernel kernel = context.loadModule(Kernels.ptx()).kernel("copy");
        List<String> closed = new ArrayList<>();
        memory.addDependent(() -> closed.add("of memory, which is open: " + memory.isOpen()));
        context.addDependent(() -> closed.add("of the context"));
        AutoCloseable removed = () -> closed.add("removed");
        context.addDependent(removed);
        context.removeDependent(removed);
        context.close();
        context.close();
        assertThat(closed).containsExactly("of the context", "of memory, which is open: true");
        assertThat(memory.isOpen() || stream.isOpen() || pinned.isOpen() || kernel.isOpen())
                .isFalse();
        assertThatIllegalStateException().isThrownBy(() -> context.allocate(1)).withMessageContaining("is closed");
        assertThatIllegalStateException().isThrownBy(() -> context.addDependent(() -> {}));
        assertThatIllegalStateException().isThrownBy(context::freeMemory);
        assertThatIllegalStateException().isThrownBy(stream::priority);
    }

    @Test
    void lastOneToClosePrimaryContextDestroysIt() {
        CudaContext first = Cuda.device(0).retainPrimaryContext();
        CudaContext second = Cuda.device(0).retainPrimaryContext();
        DeviceMemory memory = second.allocate(64);
        first.close();
        memory.fill(0, 64, (byte) 1);
        second.close();
        assertThat(StandInDriver.get("contexts")).isEqualTo(1);
    }

    @Test
    void segmentThatIsBeingReadIsWaitedFor() throws InterruptedException {
        HostMemory pinned = context.allocateHost(1 << 20);
        DeviceMemory memory = context.allocate(1 << 20);
        StandInDriver.copyDelay(100_000, 0);
        CountDownLatch started = new CountDownLatch(1);
        Thread reader = Thread.ofPlatform().start(() -> {
            started.countDown();
            memory.copyFrom(pinned.segment());
        });
        started.await();
        while (reader.getState() == Thread.State.NEW || StandInDriver.calls("cuMemcpyHtoD") == 0) {
            Thread.onSpinWait();
        }
        pinned.close();
        assertThat(StandInDriver.get("bytes.htod"))
                .as("bytes copied before the memory was freed")
                .isEqualTo(1 << 20);
        assertThat(reader.join(DeviceFixture.LIMIT)).isTrue();
    }

    @Test
    void memoryIsClosedWhileThreadsCopyIt() throws Exception {
        race(() -> {
            DeviceMemory memory = context.allocate(4096);
            HostMemory pinned = context.allocateHost(4096);
            CudaStream stream = context.createStream();
            return new Race(
                    () -> {
                        stream.copyToDevice(memory, 0, pinned, 0, 4096);
                        stream.copyOnDevice(memory, 0, memory, 2048, 1024);
                        stream.copyToHost(pinned, 0, memory, 0, 4096);
                        memory.fill(0, 16, (byte) 1);
                    },
                    List.of(memory, pinned, stream));
        });
    }

    @Test
    void streamsAndEventsAreClosedWhileThreadsUseThem() throws Exception {
        race(() -> {
            CudaStream stream = context.createStream();
            CudaStream second = context.createStream();
            CudaEvent event = context.createEvent(EventFlag.TIMING);
            return new Race(
                    () -> {
                        event.record(stream);
                        second.waitFor(event);
                        event.isDone();
                        stream.isDone();
                        stream.callback(() -> {});
                    },
                    List.of(event, stream, second));
        });
    }

    @Test
    void moduleIsClosedWhileThreadsLaunchItsKernel() throws Exception {
        race(() -> {
            CudaModule module = context.loadModule(Kernels.ptx());
            CudaKernel kernel = module.kernel("increment");
            CudaStream stream = context.createStream();
            DeviceMemory memory = context.allocate(64);
            return new Race(
                    () -> stream.launch(
                            kernel,
                            1,
                            16,
                            KernelArguments.of(2).setPointer(0, memory).setInt(1, 16)),
                    List.of(module, memory, stream));
        });
    }

    @Test
    void contextIsClosedWhileThreadsAllocate() throws Exception {
        for (int i = 0; i < ROUNDS / 4; i++) {
            CudaContext own = Cuda.device(0).createContext();
            Race race = new Race(
                    () -> {
                        own.allocate(64).fill(0, 64, (byte) 1);
                        own.createStream().close();
                        own.freeMemory();
                    },
                    List.of(own));
            run(race);
        }
        assertThat(StandInDriver.open()).containsOnlyKeys("contexts");
    }

    /** A call that threads repeat, and the resource that another thread closes meanwhile. */
    private record Race(Runnable use, List<? extends CudaResource> resources) {}

    private interface Preparation {
        Race prepare();
    }

    private void race(Preparation preparation) throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            run(preparation.prepare());
        }
    }

    /** Each thread goes on until a call reports a closed object. Any other exception fails the test. */
    private static void run(Race race) throws Exception {
        AtomicInteger uses = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> futures = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                futures.add(threads.submit(() -> {
                    assertThatIllegalStateException()
                            .isThrownBy(() -> {
                                while (true) {
                                    race.use.run();
                                    uses.incrementAndGet();
                                }
                            })
                            .withMessageContaining("is closed");
                }));
            }
            while (uses.get() < THREADS) {
                Thread.onSpinWait();
            }
            race.resources.forEach(CudaResource::close);
            for (Future<?> future : futures) {
                future.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void callbackThatFailsAfterTheCloseGoesToTheHandler() throws InterruptedException {
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch handled = new CountDownLatch(1);
        CudaStream stream = context.createStream();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
            handled.countDown();
            throw new IllegalStateException("of the handler");
        });
        try {
            stream.callback(() -> {
                try {
                    gate.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                throw new IllegalArgumentException("late");
            });
            stream.close();
            gate.countDown();
            assertThat(handled.await(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    @Test
    void callbackMayNotUseCuda() {
        CudaStream stream = context.createStream();
        DeviceMemory memory = context.allocate(64);
        stream.callback(() -> memory.fill(0, 1, (byte) 0));
        assertThatExceptionOfType(CudaCallbackException.class)
                .isThrownBy(() -> DeviceFixture.await(stream))
                .withMessageContaining("CUDA_ERROR_NOT_PERMITTED");
    }
}
