// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_context_ops;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thread sleeps until there are completions, and other threads arm the queue, take events and close the channel
 * meanwhile.
 */
@Tag("device")
@Tag("parallel")
@Timeout(600)
class CompletionWaitDeviceTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    /** A wait that took so long found its completion only because its time was over. */
    private static final long SLEPT_THROUGH = Duration.ofSeconds(40).toNanos();

    private final DeviceContext device = TestDevice.open();
    private final ProtectionDomain domain = device.allocateProtectionDomain();
    private final CompletionChannel channel = device.createCompletionChannel();
    private final WorkCompletions completions = WorkCompletions.allocate(16);
    private final Arena arena = Arena.ofShared();

    @AfterEach
    void close() {
        device.close();
        arena.close();
    }

    private CompletionQueue queue() {
        return device.createCompletionQueue(64, config -> config.channel(channel));
    }

    /** Awaits one completion in a new thread, and sets the result to the time that this took. */
    private static AtomicReference<Long> await(CompletionQueue queue, List<Thread> threads) {
        AtomicReference<Long> took = new AtomicReference<>();
        threads.add(Thread.ofPlatform().start(() -> {
            long start = System.nanoTime();
            if (queue.awaitCompletions(WorkCompletions.allocate(1), LONG) == 1) {
                took.set(System.nanoTime() - start);
            }
        }));
        return took;
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Stands before the provider's function for arming, and lets the first call wait. */
    private final class SlowArming {
        final CountDownLatch arming = new CountDownLatch(1);
        final CountDownLatch go = new CountDownLatch(1);
        private final AtomicInteger calls = new AtomicInteger();
        private final MethodHandle real;

        SlowArming() {
            MemorySegment operations =
                    ibv_context.ops(MemorySegment.ofAddress(device.handle()).reinterpret(ibv_context.sizeof()));
            FunctionDescriptor descriptor =
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
            real = Linker.nativeLinker().downcallHandle(ibv_context_ops.req_notify_cq(operations), descriptor);
            ibv_context_ops.req_notify_cq(operations, ibv_context_ops.req_notify_cq.allocate(this::arm, arena));
        }

        private int arm(MemorySegment queue, int solicitedOnly) {
            try {
                if (calls.getAndIncrement() == 0) {
                    arming.countDown();
                    go.await();
                }
                return (int) real.invokeExact(queue, solicitedOnly);
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void queueThatAnotherThreadIsJustArmingIsNotTakenForArmed() throws Exception {
        assumeTrue(TestDevice.isSoftware(), "an adapter's queue is armed by a critical call, and this one calls Java");
        SlowArming slow = new SlowArming();
        CompletionQueue queue = queue();
        LoopbackPair pair = new LoopbackPair(domain, queue, device.createCompletionQueue(64));
        List<Thread> threads = new ArrayList<>();
        threads.add(Thread.ofPlatform().start(() -> queue.requestNotification(false)));
        slow.arming.await();
        AtomicReference<Long> took = new AtomicReference<>();
        // It has polled in vain when it sleeps.
        WaitingThread waiting = WaitingThread.in(false, () -> {
            long start = System.nanoTime();
            if (queue.awaitCompletions(WorkCompletions.allocate(1), LONG) == 1) {
                took.set(System.nanoTime() - start);
            }
        });
        pair.receive(1);
        pair.send(1, SendFlags.SIGNALED);
        // The other thread's arming would also announce it.
        assertThat(waiting.end()).isNull();
        slow.go.countDown();
        join(threads);
        assertThat(took.get()).isNotNull().isLessThan(SLEPT_THROUGH);
    }

    @Test
    void noCompletionIsSleptThroughWhileOthersTakeEventsAndArm() throws Exception {
        CompletionQueue queue = queue();
        LoopbackPair pair = new LoopbackPair(domain, queue, device.createCompletionQueue(1024));
        AtomicBoolean done = new AtomicBoolean();
        List<Thread> others = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            others.add(Thread.ofPlatform().start(() -> {
                while (!done.get()) {
                    channel.nextEvent(Duration.ofMillis(1));
                    queue.requestNotification(false);
                }
            }));
        }
        try {
            for (int i = 0; i < 400; i++) {
                pair.receive(i);
                long start = System.nanoTime();
                pair.send(i, SendFlags.SIGNALED);
                assertThat(queue.awaitCompletions(completions, LONG)).isEqualTo(1);
                assertThat(System.nanoTime() - start).as("message %d", i).isLessThan(SLEPT_THROUGH);
            }
        } finally {
            done.set(true);
            join(others);
        }
    }

    @Test
    void eventsOfOtherQueuesRemainForNextEventAndForPollers() {
        CompletionQueue queue = queue();
        CompletionQueue peerQueue = queue();
        LoopbackPair pair = new LoopbackPair(domain, queue, peerQueue);
        try (EventPoller poller = EventPoller.open()) {
            poller.add(channel);
            for (int i = 0; i < 10; i++) {
                peerQueue.requestNotification(false);
                pair.receive(i);
                pair.send(i, SendFlags.NONE);
                while (peerQueue.poll(completions) == 0) {
                    Thread.onSpinWait();
                }
                // Sleeps in vain, and finds the event of the other queue.
                assertThat(queue.awaitCompletions(completions, Duration.ofMillis(50)))
                        .isZero();
                List<EventSource> ready = new ArrayList<>();
                assertThat(poller.select(LONG, ready::add)).isEqualTo(1);
                assertThat(ready).containsExactly(channel);
                assertThat(channel.nextEvent(LONG)).contains(peerQueue);
                assertThat(poller.select(Duration.ZERO, source -> {})).isZero();
                assertThat(channel.nextEvent(Duration.ZERO)).isEmpty();
            }
            // An event that was set aside goes away with its queue.
            peerQueue.requestNotification(false);
            pair.receive(1);
            pair.send(1, SendFlags.NONE);
            while (peerQueue.poll(completions) == 0) {
                Thread.onSpinWait();
            }
            assertThat(queue.awaitCompletions(completions, Duration.ofMillis(50)))
                    .isZero();
            peerQueue.close();
            assertThat(channel.nextEvent(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void parentThatIsClosedMeanwhileIsAnExceptionAndDoesNotReachTheDriver() {
        CompletionQueueConfig config = new CompletionQueueConfig().channel(channel);
        ExtendedCompletionQueueConfig extended = new ExtendedCompletionQueueConfig().channel(channel);
        CompletionQueue queue = device.createCompletionQueue(4);
        // As it is when another thread comes between the check of the arguments and the creation.
        channel.close();
        queue.close();
        List<Supplier<Resource>> creations = List.of(
                () -> CompletionQueue.create(device, 4, config),
                () -> ExtendedCompletionQueue.create(device, 4, extended),
                () -> new WorkQueue(domain, queue, new WorkQueueConfig()),
                () -> new QueuePair(domain, new QueuePairConfig(QueuePairType.RC).completionQueue(queue)));
        for (Supplier<Resource> creation : creations) {
            assertThatThrownBy(() -> device.createChild(creation))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is closed");
        }
    }
}
