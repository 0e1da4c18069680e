// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Creating, resizing and overrunning completion queues, after rdma-core's test_cq. */
@Tag("device")
class CompletionQueueDeviceTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final DeviceContext device = TestDevice.open();
    private final int limit = device.attributes().maxCompletionQueueEntries();

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void queuesOfAllSizesOnAllVectors() {
        int vectors = device.completionVectorCount();
        assertThat(vectors).isPositive();
        for (int entries : new int[] {1, limit / 2, limit}) {
            for (int vector = 0; vector < Math.min(2, vectors); vector++) {
                int chosen = vector;
                try (CompletionQueue queue =
                        device.createCompletionQueue(entries, config -> config.completionVector(chosen))) {
                    assertThat(queue.capacity()).isGreaterThanOrEqualTo(entries);
                }
            }
        }
        device.createCompletionQueue(1, config -> config.completionVector(vectors - 1))
                .close();
    }

    @Test
    void queuesWithAChannel() {
        for (int entries : new int[] {1, limit / 2, limit}) {
            CompletionChannel channel = device.createCompletionChannel();
            CompletionQueue queue = device.createCompletionQueue(entries, config -> config.channel(channel));
            channel.close();
            assertThat(queue.isOpen()).isFalse();
        }
    }

    @Test
    void deviceLimitIsReportedWithBothNumbers() {
        assertThatThrownBy(() -> device.createCompletionQueue(limit + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a completion queue of %d entries: device %s allows 1..%d"
                        .formatted(limit + 1, device.device().name(), limit));
        assertThatThrownBy(() -> device.createCompletionQueue(0)).isInstanceOf(IllegalArgumentException.class);
        int vectors = device.completionVectorCount();
        assertThatThrownBy(() -> device.createCompletionQueue(1, config -> config.completionVector(vectors)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("completionVector %d: device %s allows 0..%d"
                        .formatted(vectors, device.device().name(), vectors - 1));
        assertThatThrownBy(() -> device.createCompletionQueue(1, config -> config.completionVector(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        try (DeviceContext other = TestDevice.open()) {
            CompletionChannel foreign = other.createCompletionChannel();
            assertThatThrownBy(() -> device.createCompletionQueue(1, config -> config.channel(foreign)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another device context");
        }
    }

    @Test
    void queueShrinksAndGrowsAndKeepsWhatIsInIt() {
        CompletionQueue queue = device.createCompletionQueue(3);
        queue.resize(1);
        assertThat(queue.capacity()).isGreaterThanOrEqualTo(1);
        queue.resize(7);
        assertThat(queue.capacity()).isGreaterThanOrEqualTo(7);
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue peerQueue = device.createCompletionQueue(64);
        LoopbackPair pair = oversubscribed(domain, queue, peerQueue);
        int full = queue.capacity() - 1;
        for (int i = 0; i < full; i++) {
            pair.receive(i);
            pair.send(i, SendFlags.SIGNALED);
        }
        awaitAll(peerQueue, full);
        awaitDrained(pair.pair);
        assertThatThrownBy(() -> queue.resize(1))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EINVAL")
                .hasMessageContaining("more completions than that are in the queue");
        queue.resize(100);
        assertThat(queue.capacity()).isGreaterThanOrEqualTo(100);
        WorkCompletions completions = WorkCompletions.allocate(16);
        assertThat(queue.poll(completions)).isEqualTo(full);
        for (int i = 0; i < full; i++) {
            assertThat(completions.get(i).workRequestId()).isEqualTo(i);
        }
        assertThatThrownBy(() -> queue.resize(limit + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Integer.toString(limit));
        queue.close();
        assertThatThrownBy(() -> queue.resize(5)).isInstanceOf(IllegalStateException.class);
    }

    private static LoopbackPair oversubscribed(
            ProtectionDomain domain, CompletionQueue queue, CompletionQueue peerQueue) {
        return new LoopbackPair(
                domain,
                queue,
                peerQueue,
                config -> config.oversubscribeCompletionQueue(true),
                config -> config.maxReceiveWorkRequests(32));
    }

    /**
     * Waits until the send queue has drained. Received messages are acknowledged later, and only then are all sends in
     * the completion queue.
     */
    private static void awaitDrained(QueuePair pair) {
        pair.modify(config -> config.state(QueuePairState.SQD));
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (pair.query().sendQueueDraining()) {
            assertThat(System.nanoTime()).as("the send queue drains").isLessThan(deadline);
        }
    }

    private static void awaitAll(CompletionQueue queue, int count) {
        WorkCompletions completions = WorkCompletions.allocate(16);
        long deadline = System.nanoTime() + LIMIT.toNanos();
        for (int seen = 0; seen < count; ) {
            seen += queue.poll(completions);
            assertThat(System.nanoTime()).isLessThan(deadline);
        }
    }

    @Test
    void overrunIsReportedAndHarmsNobodyElse() {
        CompletionQueue queue = device.createCompletionQueue(1);
        CompletionQueue peerQueue = device.createCompletionQueue(64);
        LoopbackPair pair = oversubscribed(device.allocateProtectionDomain(), queue, peerQueue);
        int tooMany = queue.capacity() + 2;
        for (int i = 0; i < tooMany; i++) {
            pair.receive(i);
            pair.send(i, SendFlags.SIGNALED);
        }
        awaitAll(peerQueue, tooMany);
        AsyncEvent event = device.nextAsyncEvent(LIMIT).orElseThrow();
        assertThat(event.type()).isEqualTo(AsyncEventType.CQ_ERR);
        assertThat(event.resource()).contains(queue);
        assertThat(event.toString()).isEqualTo("CQ_ERR of " + queue);
        // The completions that fit are there, and the others are lost.
        WorkCompletions completions = WorkCompletions.allocate(16);
        assertThat(queue.poll(completions)).isLessThan(tooMany);
        queue.close();
        assertThat(peerQueue.poll(completions)).isZero();
    }

    @Test
    void moderationIsCheckedBeforeTheDeviceSeesIt() {
        CompletionQueue queue = device.createCompletionQueue(8);
        assertThatThrownBy(() -> queue.modifyModeration(65_536, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("moderation by 65536 completions")
                .hasMessageContaining("0..65535");
        assertThatThrownBy(() -> queue.modifyModeration(1, Duration.ofMillis(66)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("66000 microseconds")
                .hasMessageContaining("0..65535");
        // SoftRoCE has no moderation.
        assertThatThrownBy(() -> queue.modifyModeration(16, Duration.ofNanos(5_000)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_modify_cq(%s, cq_count=16, cq_period=5)"
                        .formatted(device.device().name()));
    }
}
