// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests shared receive queues: receives for their queue pairs, modifications and refusals. */
@Tag("device")
@Timeout(600)
class SharedReceiveQueueDeviceTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final DeviceContext device = TestDevice.open();
    private final ProtectionDomain domain = device.allocateProtectionDomain();
    private final CompletionQueue queue = device.createCompletionQueue(512);
    private final CompletionQueue peerQueue = device.createCompletionQueue(512);
    private final MemoryRegion room = domain.allocateMemory(4096, LOCAL_WRITE);
    private final WorkCompletions completions = WorkCompletions.allocate(16);

    @AfterEach
    void close() {
        device.close();
    }

    private SharedReceiveQueue create(int size) {
        return domain.createSharedReceiveQueue(
                config -> config.maxWorkRequests(size).maxScatterGather(2));
    }

    private LoopbackPair connect(SharedReceiveQueue shared) {
        return new LoopbackPair(domain, queue, peerQueue, config -> config.sharedReceiveQueue(shared));
    }

    private void awaitOne(CompletionQueue from) {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (from.poll(completions) == 0) {
            assertThat(System.nanoTime()).isLessThan(deadline);
        }
        assertThat(completions.size()).isEqualTo(1);
        assertThat(completions.get(0).isSuccess())
                .as(completions.get(0).describe())
                .isTrue();
    }

    @Test
    void severalQueuePairsTakeTheirReceivesFromOneQueue() {
        SharedReceiveQueue shared = create(16);
        LoopbackPair first = connect(shared);
        LoopbackPair second = connect(shared);
        for (int i = 0; i < 3; i++) {
            assertThat(shared.tryPostReceive(i, room.slice(i * 64, 64))).isTrue();
        }
        SliceList scattered = SliceList.of(room.slice(1024, 3), room.slice(2048, 100));
        assertThat(shared.tryPostReceive(3, scattered)).isTrue();
        first.buffer.segment().setString(0, "one");
        second.buffer.segment().setString(0, "another");
        Set<Integer> receivers = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            (i % 2 == 0 ? first : second).send(i, SendFlags.SIGNALED);
            awaitOne(queue);
            awaitOne(peerQueue);
            WorkCompletion received = completions.get(0);
            // In the order of posting, whichever queue pair asks.
            assertThat(received.workRequestId()).isEqualTo(i);
            assertThat(received.byteLength()).isEqualTo(8);
            receivers.add(received.queuePairNumber());
        }
        assertThat(receivers).containsExactlyInAnyOrder(first.peer.number(), second.peer.number());
        assertThat(room.segment().getString(0)).isEqualTo("one");
        assertThat(room.segment().getString(64)).isEqualTo("another");
        assertThat(room.segment().asSlice(1024, 3).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo("ano".getBytes());
        assertThat(room.segment().getString(2048)).isEqualTo("ther");
    }

    @Test
    void receivesArePostedInBatchesAndAFullQueueIsAReturnValue() {
        SharedReceiveQueue shared = create(4);
        int size = shared.attributes().maxWorkRequests();
        assertThat(size).isGreaterThanOrEqualTo(4);
        ReceiveBatch batch = shared.startReceiveBatch();
        assertThat(batch.receive(0, room.slice(0, 8))
                        .receive(1, room.slice(8, 8))
                        .tryPost())
                .isTrue();
        int posted = 2;
        while (shared.tryPostReceive(posted, room.slice(0, 8))) {
            posted++;
            assertThat(posted).isLessThan(10_000);
        }
        assertThat(posted).isGreaterThanOrEqualTo(4);
        assertThat(shared.startReceiveBatch().receive(9, room.slice(0, 8)).tryPost())
                .isFalse();
        assertThat(batch.size()).isEqualTo(1);
    }

    @Test
    void attributesAreQueriedAndModified() {
        SharedReceiveQueue shared = create(16);
        assertThat(shared.type()).isEqualTo(SharedReceiveQueueType.BASIC);
        assertThat(shared.protectionDomain()).isSameAs(domain);
        SharedReceiveQueueAttributes attributes = shared.attributes();
        assertThat(attributes.maxWorkRequests()).isGreaterThanOrEqualTo(16);
        assertThat(attributes.maxScatterGather()).isGreaterThanOrEqualTo(2);
        assertThat(attributes.limit()).isZero();
        shared.modifyLimit(5);
        assertThat(shared.attributes().limit()).isEqualTo(5);
        assertThatThrownBy(() -> shared.resize(4))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EINVAL")
                .hasMessageContaining("its limit is above that");
        shared.resize(100);
        assertThat(shared.attributes().maxWorkRequests()).isGreaterThanOrEqualTo(100);
        assertThat(shared.attributes().limit()).isEqualTo(5);
    }

    @Test
    void limitIsAnEventThatNamesTheQueue() {
        SharedReceiveQueue shared = create(16);
        LoopbackPair pair = connect(shared);
        for (int i = 0; i < 4; i++) {
            assertThat(shared.tryPostReceive(i, room.slice(0, 64))).isTrue();
        }
        shared.modifyLimit(3);
        pair.send(1, SendFlags.SIGNALED);
        awaitOne(queue);
        pair.send(2, SendFlags.SIGNALED);
        awaitOne(queue);
        AsyncEvent event = device.nextAsyncEvent(LONG).orElseThrow();
        assertThat(event.type()).isEqualTo(AsyncEventType.SRQ_LIMIT_REACHED);
        assertThat(event.resource()).contains(shared);
        assertThat(event.port()).isEmpty();
        assertThat(shared.attributes().limit()).isZero();
        // Taken and acknowledged: closing does not wait for anything.
        shared.close();
        assertThat(pair.peer.isOpen()).isFalse();
    }

    @Test
    void eventThatNobodyTookDoesNotHinderAClose() {
        SharedReceiveQueue shared = create(16);
        LoopbackPair pair = connect(shared);
        for (int i = 0; i < 2; i++) {
            assertThat(shared.tryPostReceive(i, room.slice(0, 64))).isTrue();
        }
        shared.modifyLimit(2);
        pair.send(1, SendFlags.SIGNALED);
        awaitOne(queue);
        shared.close();
        assertThat(device.nextAsyncEvent(Duration.ZERO)).isEmpty();
    }

    @Test
    void mistakesAreExceptions() {
        SharedReceiveQueue shared = create(16);
        LoopbackPair pair = connect(shared);
        assertThatThrownBy(() -> pair.peer.tryPostReceive(1, room.slice(0, 8)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(
                        "has no receive queue of its own. Post receives to its basic shared receive queue");
        assertThatThrownBy(() -> pair.peer.startReceiveBatch()).isInstanceOf(IllegalStateException.class);
        SliceList tooMany = SliceList.of(room.slice(0, 8), room.slice(8, 8), room.slice(16, 8));
        assertThatThrownBy(() -> shared.tryPostReceive(1, tooMany))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("3 slices: a request of this queue takes at most 2"
                        + " (SharedReceiveQueueConfig.maxScatterGather)");
        MemoryRegion readOnly = domain.allocateMemory(64);
        assertThatThrownBy(() -> shared.tryPostReceive(1, readOnly.slice(0, 8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("without LOCAL_WRITE");
        ProtectionDomain other = device.allocateProtectionDomain();
        MemoryRegion foreign = other.allocateMemory(64, LOCAL_WRITE);
        assertThatThrownBy(() -> shared.tryPostReceive(1, foreign.slice(0, 8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(foreign + " is registered in another protection domain than this queue's");
        assertThatThrownBy(() -> new LoopbackPair(other, queue, peerQueue, config -> config.sharedReceiveQueue(shared)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another protection domain");
        int size = shared.attributes().maxWorkRequests();
        assertThatThrownBy(() -> shared.modifyLimit(size + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a limit of " + (size + 1))
                .hasMessageContaining("0.." + size);
        int most = device.attributes().maxSharedReceiveQueueWorkRequests();
        assertThatThrownBy(() -> create(most + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxWorkRequests %d of a shared receive queue: device %s allows 1..%d"
                        .formatted(most + 1, device.device().name(), most));
        assertThatThrownBy(() -> shared.resize(0)).isInstanceOf(IllegalArgumentException.class);
        int entries = device.attributes().maxSharedReceiveQueueScatterGather();
        assertThatThrownBy(() -> domain.createSharedReceiveQueue(config -> config.maxScatterGather(entries + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1.." + entries);
        shared.close();
        for (Runnable use : new Runnable[] {
            () -> shared.tryPostReceive(1, room.slice(0, 8)),
            () -> shared.tryPostReceive(1, tooMany.clear().add(room.slice(0, 8))),
            shared::attributes,
            () -> shared.resize(20),
            shared::handle
        }) {
            assertThatThrownBy(use::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
        assertThatThrownBy(() -> connect(shared)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void unsupportedBySoftRoceIsRefused() {
        assertThatThrownBy(() -> domain.createSharedReceiveQueue(config -> config.tagMatching(queue, 4, 4)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_srq_ex(TAG_MATCHING, max_wr=128, max_sge=1)");
        assertThatThrownBy(() -> domain.createSharedReceiveQueue(config -> config.tagMatching(queue, 0, 4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1");
        SharedReceiveQueue basic = create(4);
        assertThatThrownBy(basic::number)
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_get_srq_num(");
        assertThatThrownBy(basic::tagList)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("does not match tags");
    }
}
