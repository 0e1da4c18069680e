// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A profiler's signal, for instance, in the middle of a wait. */
class SignalledWaitTest {
    private static final int SIGUSR1 = 10;
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle SIGNAL = handle("signal", FunctionDescriptor.of(ADDRESS, JAVA_INT, ADDRESS));
    private static final MethodHandle SELF = handle("pthread_self", FunctionDescriptor.of(JAVA_LONG));
    private static final MethodHandle KILL =
            handle("pthread_kill", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));

    private static MethodHandle handle(String function, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(function), descriptor);
    }

    @Test
    void signalDoesNotRestartTheWait() throws Throwable {
        // A handler that does nothing: the absolute value of its number.
        MemorySegment before =
                (MemorySegment) SIGNAL.invoke(SIGUSR1, LINKER.defaultLookup().findOrThrow("abs"));
        int epoll = FileDescriptors.createEpoll();
        try (var executor = Executors.newSingleThreadExecutor();
                Arena arena = Arena.ofShared()) {
            MemorySegment events = FileDescriptors.allocateEvents(arena, 1);
            MemorySegment timeout = arena.allocate(JAVA_LONG, 2);
            CompletableFuture<Long> sleeper = new CompletableFuture<>();
            Future<Integer> waiting = executor.submit(() -> {
                try {
                    sleeper.complete((long) SELF.invoke());
                } catch (Throwable e) {
                    throw new AssertionError(e);
                }
                return FileDescriptors.epollWaitNanos(epoll, events, timeout, TimeUnit.SECONDS.toNanos(20));
            });
            long thread = sleeper.get(60, TimeUnit.SECONDS);
            Thread.sleep(50);
            long start = System.nanoTime();
            // Again for a thread that does not wait yet.
            signalUntilDone(thread, waiting);
            assertThat(waiting.get(60, TimeUnit.SECONDS)).isIn(FileDescriptors.SIGNALLED, FileDescriptors.NO_SUCH_CALL);
            assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(10));
        } finally {
            FileDescriptors.close(epoll);
            SIGNAL.invoke(SIGUSR1, before);
        }
    }

    private static void signalUntilDone(long thread, Future<?> waiting) throws Throwable {
        while (!waiting.isDone()) {
            assertThat((int) KILL.invoke(thread, SIGUSR1)).isZero();
            Thread.sleep(10);
        }
    }

    /** Were the time counted from each signal on, the wait would have no end. */
    @Test
    @Timeout(60)
    void timeOfASetIsOverWhenItWasAskedForThoughASignalCame() throws Throwable {
        MemorySegment before =
                (MemorySegment) SIGNAL.invoke(SIGUSR1, LINKER.defaultLookup().findOrThrow("abs"));
        DescriptorSet set = new DescriptorSet(IllegalStateException::new);
        Duration whole = Duration.ofMillis(200);
        // The executor keeps the thread until it is closed, so that there is one to signal.
        try (var executor = Executors.newSingleThreadExecutor()) {
            CompletableFuture<Long> sleeper = new CompletableFuture<>();
            Future<?> waiting = executor.submit(() -> {
                try {
                    sleeper.complete((long) SELF.invoke());
                } catch (Throwable e) {
                    throw new AssertionError(e);
                }
                assertThat(set.await("waiting", System.nanoTime(), whole.toNanos(), true))
                        .isEmpty();
            });
            signalUntilDone(sleeper.get(60, TimeUnit.SECONDS), waiting);
            waiting.get();
        } finally {
            set.close();
            SIGNAL.invoke(SIGUSR1, before);
        }
    }
}
