// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The driver's current context is one of the carrier's. A virtual thread goes on on any carrier after each pause, also
 * on one that another virtual thread has used for another context.
 */
@ExtendWith(StandInDriver.class)
class VirtualThreadTest {
    private CudaContext first;
    private CudaContext second;

    @BeforeEach
    void open() {
        StandInDriver.devices(2);
        first = Cuda.device(0).createContext();
        second = Cuda.device(1).createContext();
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
        assertThat(StandInDriver.open()).as("what is left open").isEmpty();
    }

    @Test
    void virtualThreadCannotMakeAContextCurrentForOthers() throws InterruptedException {
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        Thread virtual = Thread.ofVirtual().start(() -> {
            try {
                first.makeCurrent();
            } catch (Throwable e) {
                refusal.set(e);
            }
        });
        assertThat(virtual.join(DeviceFixture.LIMIT)).isTrue();
        assertThat(refusal.get())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("virtual thread")
                .hasMessageContaining("Call it, and the code that needs it, on a platform thread");
        first.makeCurrent();
    }

    @Test
    void eachCallIsMadeInTheContextOfItsObject() throws Exception {
        work(List.of(first, second), 8, 300);
    }

    /** The trace prints between two calls of the driver, and what prints may pause. */
    @Test
    void traceThatPausesChangesNoContext() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "-Djdk.virtualThreadScheduler.parallelism=4",
                        "--enable-native-access=ALL-UNNAMED",
                        StandInDriver.jvmOption(),
                        "-Dio.github.rdma4j.cuda.trace=true",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Traced.class.getName())
                .redirectErrorStream(true);
        builder.environment().put("RDMA4J_STANDIN", "devices=2");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output).endsWith("done\n");
    }

    static final class Traced {
        public static void main(String[] arguments) throws Exception {
            System.setErr(new PrintStream(OutputStream.nullOutputStream()) {
                @Override
                public void print(String text) {
                    LockSupport.parkNanos(20_000);
                }
            });
            try (CudaContext first = Cuda.device(0).createContext();
                    CudaContext second = Cuda.device(1).createContext()) {
                work(List.of(first, second), 8, 30);
            } catch (Throwable e) {
                e.printStackTrace(System.out);
                System.exit(1);
            }
            System.out.println("done");
        }
    }

    /** Virtual threads that allocate in these contexts by turns, and ask whose the memory is. */
    private static void work(List<CudaContext> contexts, int threads, int rounds) throws InterruptedException {
        AtomicInteger wrong = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            CudaContext context = contexts.get(i % contexts.size());
            all.add(Thread.ofVirtual().start(() -> {
                try {
                    for (int round = 0; round < rounds; round++) {
                        try (DeviceMemory memory = context.allocate(64)) {
                            Thread.yield();
                            long owner = context.pointerAttributes(memory.deviceAddress())
                                    .context();
                            wrong.addAndGet(owner == context.handle() ? 0 : 1);
                        }
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            }));
        }
        for (Thread thread : all) {
            assertThat(thread.join(DeviceFixture.LIMIT.multipliedBy(2))).isTrue();
        }
        assertThat(failure.get()).isNull();
        assertThat(wrong).as("allocations in the other context").hasValue(0);
    }
}
