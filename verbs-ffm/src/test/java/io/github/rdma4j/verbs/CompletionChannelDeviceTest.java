// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sleeping until there is something to poll, after rdma-core's test_cq_events: events, and what ends a wait for one.
 */
@Tag("device")
@Tag("parallel")
@Timeout(600)
class CompletionChannelDeviceTest {
    private static final Duration LONG = Duration.ofSeconds(50);

    private final DeviceContext device = TestDevice.open();
    private final ProtectionDomain domain = device.allocateProtectionDomain();
    private final CompletionChannel channel = device.createCompletionChannel();
    private final CompletionQueue queue = device.createCompletionQueue(64, config -> config.channel(channel));
    private final CompletionQueue peerQueue = device.createCompletionQueue(64, config -> config.channel(channel));
    private final LoopbackPair pair = new LoopbackPair(domain, queue, peerQueue);
    private final WorkCompletions completions = WorkCompletions.allocate(16);

    @AfterEach
    void close() {
        device.close();
    }

    private static Thread start(boolean virtual, Runnable task) {
        return virtual ? Thread.ofVirtual().start(task) : Thread.ofPlatform().start(task);
    }

    @Test
    void armedQueueAnnouncesOneCompletion() {
        queue.requestNotification(false);
        assertThat(channel.nextEvent(Duration.ZERO)).isEmpty();
        pair.receive(1);
        pair.receive(2);
        pair.send(1, SendFlags.SIGNALED);
        assertThat(channel.nextEvent(LONG)).contains(queue);
        pair.send(2, SendFlags.SIGNALED);
        // Not armed: the second one is silent.
        assertThat(channel.nextEvent(Duration.ofMillis(20))).isEmpty();
    }

    @Test
    void everyMessageIsWaitedFor() {
        // As test_cq_events does it: a hundred messages, each waited for.
        for (int i = 0; i < 100; i++) {
            pair.receive(i);
            pair.send(i, SendFlags.SIGNALED);
            assertThat(queue.awaitCompletions(completions, LONG)).isEqualTo(1);
            assertThat(completions.get(0).workRequestId()).isEqualTo(i);
            assertThat(peerQueue.awaitCompletions(completions, LONG)).isEqualTo(1);
            assertThat(completions.get(0).workRequestId()).isEqualTo(i);
        }
        assertThat(queue.awaitCompletions(completions, Duration.ofMillis(5))).isZero();
        assertThat(peerQueue.awaitCompletions(completions, Duration.ZERO)).isZero();
    }

    @Test
    void solicitedCompletionsOnly() {
        peerQueue.requestNotification(true);
        pair.receive(1);
        pair.receive(2);
        pair.send(1, SendFlags.NONE);
        assertThat(channel.nextEvent(Duration.ofMillis(50))).isEmpty();
        pair.send(2, SendFlags.SOLICITED);
        assertThat(channel.nextEvent(LONG)).contains(peerQueue);
        assertThat(peerQueue.poll(completions)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void twoQueuesOnOneChannelAreAwaitedByTwoThreads(boolean virtual) throws Exception {
        int messages = 50;
        AtomicInteger sent = new AtomicInteger();
        AtomicInteger received = new AtomicInteger();
        Thread sender = start(virtual, () -> count(queue, sent, messages));
        Thread receiver = start(virtual, () -> count(peerQueue, received, messages));
        for (int i = 0; i < messages; i++) {
            pair.receive(i);
            pair.send(i, SendFlags.SIGNALED);
            if (i % 10 == 0) {
                Thread.sleep(2);
            }
        }
        sender.join();
        receiver.join();
        assertThat(sent).hasValue(messages);
        assertThat(received).hasValue(messages);
    }

    private static void count(CompletionQueue queue, AtomicInteger counter, int messages) {
        WorkCompletions own = WorkCompletions.allocate(4);
        while (counter.get() < messages) {
            int count = queue.awaitCompletions(own, LONG);
            if (count == 0) {
                return;
            }
            counter.addAndGet(count);
        }
    }

    @Test
    void eventsThatNobodyTookDoNotHinderAClose() {
        for (int i = 0; i < 5; i++) {
            queue.requestNotification(false);
            peerQueue.requestNotification(false);
            pair.receive(i);
            pair.send(i, SendFlags.SIGNALED);
            while (peerQueue.poll(completions) == 0) {
                Thread.onSpinWait();
            }
        }
        assertThat(channel.nextEvent(LONG)).isPresent();
        queue.close();
        // The closed queue's events are gone with it.
        assertThat(channel.nextEvent(LONG)).contains(peerQueue);
        peerQueue.close();
        assertThat(channel.nextEvent(Duration.ZERO)).isEmpty();
        channel.close();
        assertThatThrownBy(() -> channel.nextEvent(Duration.ZERO))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(channel::fileDescriptor).isInstanceOf(IllegalStateException.class);
    }

    /** The library destroys a queue only when each event that was taken is acknowledged, whoever took it. */
    @Test
    void closeBesideAThreadThatTakesEventsComesToItsEnd() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Thread taker = start(false, () -> {
            while (!over.get()) {
                channel.nextEvent(Duration.ofMillis(1));
            }
        });
        for (int round = 0; round < 20; round++) {
            CompletionQueue first = device.createCompletionQueue(8, config -> config.channel(channel));
            CompletionQueue second = device.createCompletionQueue(8, config -> config.channel(channel));
            LoopbackPair both = new LoopbackPair(domain, first, second);
            for (int i = 0; i <= round % 3; i++) {
                first.requestNotification(false);
                second.requestNotification(false);
                both.receive(i);
                both.send(i, SendFlags.SIGNALED);
            }
            first.close();
            second.close();
        }
        over.set(true);
        taker.join();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closingEndsTheWaits(boolean virtual) throws Exception {
        for (int round = 0; round < 10; round++) {
            CompletionChannel other = device.createCompletionChannel();
            CompletionQueue waiting = device.createCompletionQueue(4, config -> config.channel(other));
            Resource toClose = round % 2 == 0 ? other : waiting;
            List<Throwable> ends = new ArrayList<>();
            CountDownLatch started = new CountDownLatch(1);
            Thread thread = start(virtual, () -> {
                started.countDown();
                try {
                    waiting.awaitCompletions(WorkCompletions.allocate(1), LONG);
                } catch (Throwable e) {
                    ends.add(e);
                }
            });
            started.await();
            Thread.sleep(round < 4 ? 20 : 0);
            toClose.close();
            thread.join();
            assertThat(ends).singleElement().isInstanceOf(IllegalStateException.class);
            other.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void interruptEndsTheWait(boolean virtual) throws Exception {
        WaitingThread waiting =
                WaitingThread.in(virtual, () -> queue.awaitCompletions(WorkCompletions.allocate(1), LONG));
        assertThat(waiting.interrupt())
                .hasMessageContaining("waiting for " + queue)
                .hasMessageContaining("EINTR");
    }

    @Test
    void threadsThatAwaitOneQueueTakeTurns() throws Exception {
        AtomicInteger total = new AtomicInteger();
        int messages = 40;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(start(i % 2 == 0, () -> {
                WorkCompletions own = WorkCompletions.allocate(1);
                while (total.get() < messages) {
                    total.addAndGet(peerQueue.awaitCompletions(own, Duration.ofMillis(200)));
                }
            }));
        }
        for (int i = 0; i < messages; i++) {
            // SoftRoCE of Linux 6.12 sends after the post has returned: the queues would be full.
            while (i - total.get() >= 4) {
                Thread.sleep(1);
            }
            pair.receive(i);
            pair.send(i, SendFlags.NONE);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(total).hasValue(messages);
    }

    @Test
    void pollerWaitsForChannelAndDevice() {
        try (EventPoller poller = EventPoller.open()) {
            poller.add(channel);
            poller.add(device);
            queue.requestNotification(false);
            pair.receive(1);
            pair.send(1, SendFlags.SIGNALED);
            List<CompletionQueue> announced = new ArrayList<>();
            int handled = poller.select(LONG, source -> {
                assertThat(source).isSameAs(channel);
                channel.nextEvent(Duration.ZERO).ifPresent(announced::add);
            });
            assertThat(handled).isEqualTo(1);
            assertThat(announced).containsExactly(queue);
            assertThat(poller.select(Duration.ofMillis(5), source -> {})).isZero();
            channel.close();
            assertThat(poller.size()).isEqualTo(1);
        }
    }

    /** A thread that waits for one queue has taken the event of the other. */
    @Test
    void eventOfAClosedQueueDoesNotKeepAPollerAwake() {
        try (EventPoller poller = EventPoller.open()) {
            poller.add(channel);
            queue.requestNotification(false);
            pair.receive(1);
            pair.send(1, SendFlags.SIGNALED);
            assertThat(peerQueue.awaitCompletions(completions, LONG)).isEqualTo(1);
            assertThat(poller.select(LONG, source -> {})).isEqualTo(1);
            assertThat(peerQueue.awaitCompletions(completions, Duration.ofMillis(1)))
                    .isZero();
            assertThat(poller.select(LONG, source -> {})).isEqualTo(1);
            queue.close();
            assertThat(poller.select(Duration.ofMillis(5), source -> {})).isZero();
        }
    }

    @Test
    void queueWithoutAChannelCannotBeArmed() {
        CompletionQueue silent = device.createCompletionQueue(4);
        for (Runnable use : new Runnable[] {
            () -> silent.requestNotification(false), () -> silent.awaitCompletions(completions, LONG)
        }) {
            assertThatThrownBy(use::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("without a completion channel");
        }
        queue.close();
        assertThatThrownBy(() -> queue.requestNotification(false)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingTheDeviceEndsAWaitForItsEvents() throws Exception {
        DeviceContext other = TestDevice.open();
        WaitingThread.in(false, () -> other.nextAsyncEvent(LONG)).close(other);
        assertThatThrownBy(other::fileDescriptor).isInstanceOf(IllegalStateException.class);
    }
}
