// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.WorkCompletionField.BYTE_LENGTH;
import static io.github.rdma4j.verbs.WorkCompletionField.QUEUE_PAIR_NUMBER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests extended completion queues, after rdma-core's test_cqex: creation, the cursor and its refusals. */
@Tag("device")
@Timeout(600)
class ExtendedCompletionQueueDeviceTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final DeviceContext device = TestDevice.open();
    private final ProtectionDomain domain = device.allocateProtectionDomain();
    private final CompletionChannel channel = device.createCompletionChannel();
    private final int limit = device.attributes().maxCompletionQueueEntries();

    @AfterEach
    void close() {
        device.close();
    }

    private ExtendedCompletionQueue create(WorkCompletionField... fields) {
        return device.createExtendedCompletionQueue(
                64, config -> config.channel(channel).fields(fields));
    }

    private static void awaitCursor(ExtendedCompletionQueue queue) {
        assertThat(queue.awaitCursor(LONG)).isTrue();
    }

    @Test
    void eachFieldIsGivenOrRefused() {
        Set<WorkCompletionField> given = EnumSet.noneOf(WorkCompletionField.class);
        for (WorkCompletionField field : WorkCompletionField.values()) {
            try (ExtendedCompletionQueue queue = create(field)) {
                assertThat(queue.fields()).containsExactly(field);
                given.add(field);
            } catch (UnsupportedVerbException e) {
                assertThat(e.getMessage())
                        .contains(field.efaBit() == 0 ? "ibv_create_cq_ex(" : "efadv_create_cq(")
                        .contains(field.name());
            }
        }
        assertThat(given).containsAll(WorkCompletionField.STANDARD);
        try (ExtendedCompletionQueue queue = device.createExtendedCompletionQueue(10, config -> {})) {
            assertThat(queue.fields()).isEqualTo(WorkCompletionField.STANDARD);
            assertThat(queue.capacity()).isGreaterThanOrEqualTo(10);
        }
    }

    @Test
    void eachFlagIsGivenOrRefused() {
        device.createExtendedCompletionQueue(10, config -> config.fields().singleThreaded(true))
                .close();
        assertCreatedOrUnsupported(config -> config.fields().ignoreOverrun(true), "flags=0x2");
    }

    private void assertCreatedOrUnsupported(Consumer<ExtendedCompletionQueueConfig> configuration, String inMessage) {
        try (ExtendedCompletionQueue queue = device.createExtendedCompletionQueue(10, configuration)) {
            assertThat(queue.isOpen()).isTrue();
        } catch (UnsupportedVerbException e) {
            assertThat(e.getMessage()).contains(inMessage);
        }
    }

    @Test
    void deviceLimitIsReportedWithBothNumbers() {
        assertThatThrownBy(() -> device.createExtendedCompletionQueue(limit + 1, config -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("allows 1.." + limit);
        int vectors = device.completionVectorCount();
        assertThatThrownBy(
                        () -> device.createExtendedCompletionQueue(10, config -> config.completionVector(vectors + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("completionVector " + (vectors + 1))
                .hasMessageContaining("0.." + (vectors - 1));
    }

    /** libirdma has one lock for both, and a thread that has it would wait for itself. */
    @Test
    void startedCursorPreventsArming() {
        ExtendedCompletionQueue queue = create();
        queue.cursor().acquire();
        assertThatThrownBy(() -> queue.requestNotification(false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Call CompletionCursor.end() first");
        queue.cursor().leave();
        queue.requestNotification(false);
    }

    /** The same lock is taken for each event, whose it is. */
    @Test
    void startedCursorPreventsTakingEvents() {
        ExtendedCompletionQueue queue = create();
        CompletionQueue other = device.createCompletionQueue(64, config -> config.channel(channel));
        queue.cursor().acquire();
        for (ThrowingCallable wait : List.<ThrowingCallable>of(
                () -> channel.nextEvent(Duration.ZERO),
                () -> channel.nextEvent(Duration.ofMillis(1)),
                () -> queue.awaitCursor(Duration.ofMillis(1)),
                () -> other.awaitCompletions(WorkCompletions.allocate(1), Duration.ofMillis(1)))) {
            assertThatThrownBy(wait)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("taking events from " + channel + ": this thread has started the cursor of " + queue
                            + " and not ended it. Call CompletionCursor.end() first");
        }
        CompletionChannel elsewhere = device.createCompletionChannel();
        assertThat(elsewhere.nextEvent(Duration.ZERO)).isEmpty();
        queue.cursor().leave();
        assertThat(channel.nextEvent(Duration.ZERO)).isEmpty();
        queue.cursor().acquire();
        queue.close();
        assertThat(channel.nextEvent(Duration.ZERO)).isEmpty();
    }

    @Test
    void messagesAreReadThroughTheCursor() {
        ExtendedCompletionQueue queue = create(WorkCompletionField.STANDARD.toArray(WorkCompletionField[]::new));
        ExtendedCompletionQueue peerQueue = create(WorkCompletionField.STANDARD.toArray(WorkCompletionField[]::new));
        LoopbackPair pair = new LoopbackPair(domain, queue, peerQueue);
        CompletionCursor cursor = queue.cursor();
        CompletionCursor peerCursor = peerQueue.cursor();
        assertThat(cursor.start()).isFalse();
        for (int i = 0; i < 100; i++) {
            pair.receive(i);
            assertThat(pair.pair.tryPostSendWithImmediate(1000 + i, pair.buffer.slice(0, i % 60), 0xCAFE0000 + i, 2))
                    .isTrue();
            awaitCursor(queue);
            assertThat(cursor.status()).isEqualTo(WorkCompletionStatus.SUCCESS);
            assertThat(cursor.isSuccess()).isTrue();
            assertThat(cursor.workRequestId()).isEqualTo(1000 + i);
            assertThat(cursor.opcode()).isEqualTo(WorkCompletionOpcode.SEND);
            assertThat(cursor.queuePairNumber()).isEqualTo(pair.pair.number());
            assertThat(cursor.next()).isFalse();
            assertThat(cursor.next()).isFalse();
            cursor.end();
            awaitCursor(peerQueue);
            assertThat(peerCursor.statusCode()).isZero();
            assertThat(peerCursor.vendorError()).isZero();
            assertThat(peerCursor.workRequestId()).isEqualTo(i);
            assertThat(peerCursor.opcode()).isEqualTo(WorkCompletionOpcode.RECEIVE);
            assertThat(peerCursor.byteLength()).isEqualTo(i % 60);
            assertThat(peerCursor.hasImmediateData()).isTrue();
            assertThat(peerCursor.immediateData()).isEqualTo(0xCAFE0000 + i);
            assertThat(peerCursor.hasInvalidatedKey()).isFalse();
            assertThat(peerCursor.isTagDataValid()).isFalse();
            assertThat(peerCursor.queuePairNumber()).isEqualTo(pair.peer.number());
            assertThat(peerCursor.serviceLevel()).isZero();
            assertThat(peerCursor.destinationPathBits()).isZero();
            assertThat(peerCursor.sourceLid()).isZero();
            peerCursor.end();
        }
        assertThat(queue.awaitCursor(Duration.ofMillis(5))).isFalse();
        assertThat(peerCursor.start()).isFalse();
    }

    @Test
    void invalidatedKeyIsReadThroughTheCursor() {
        ExtendedCompletionQueue peerQueue = create(WorkCompletionField.IMMEDIATE_DATA);
        LoopbackPair pair = new LoopbackPair(domain, device.createCompletionQueue(16), peerQueue);
        MemoryRegion region = domain.allocateMemory(4096, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
        MemoryWindow window = domain.allocateMemoryWindow(MemoryWindowType.TYPE_2);
        int key = window.nextRemoteKey();
        assertThat(pair.peer.tryPostBindMemoryWindow(
                        4, window, key, region.slice(), SendFlags.SIGNALED, AccessFlag.REMOTE_WRITE))
                .isTrue();
        awaitCursor(peerQueue);
        CompletionCursor cursor = peerQueue.cursor();
        assertThat(cursor.isSuccess()).isTrue();
        assertThat(cursor.opcode()).isEqualTo(WorkCompletionOpcode.BIND_MEMORY_WINDOW);
        cursor.end();
        pair.receive(6);
        assertThat(pair.pair
                        .startBatch()
                        .sendWithInvalidate(7, pair.buffer.slice(0, 8), key, SendFlags.SIGNALED)
                        .tryPost())
                .isTrue();
        awaitCursor(peerQueue);
        assertThat(cursor.isSuccess()).isTrue();
        // Adapters set IBV_WC_WITH_INV; SoftRoCE sets the kernel's own flag, which means a right checksum in user
        // space.
        assertThat(cursor.hasInvalidatedKey() || cursor.isChecksumRight()).isTrue();
        assertThat(cursor.invalidatedRemoteKey()).isEqualTo(key);
        cursor.end();
    }

    @Test
    void severalCompletionsAreOneWay() {
        ExtendedCompletionQueue queue = create();
        LoopbackPair pair = new LoopbackPair(domain, queue, device.createCompletionQueue(64));
        for (int i = 0; i < 7; i++) {
            pair.receive(i);
            pair.send(i, SendFlags.SIGNALED);
        }
        CompletionCursor cursor = queue.cursor();
        long expected = 0;
        long deadline = System.nanoTime() + LONG.toNanos();
        while (expected < 7) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            if (cursor.start()) {
                do {
                    assertThat(cursor.workRequestId()).isEqualTo(expected++);
                } while (cursor.next());
                cursor.end();
            }
        }
        assertThat(cursor.start()).isFalse();
    }

    @Test
    void ordinaryPollWorksTooButNotMeanwhile() {
        ExtendedCompletionQueue queue = create(BYTE_LENGTH);
        LoopbackPair pair = new LoopbackPair(domain, queue, device.createCompletionQueue(64));
        WorkCompletions completions = WorkCompletions.allocate(4);
        for (int i = 0; i < 2; i++) {
            pair.receive(i);
            pair.send(i, SendFlags.SIGNALED);
        }
        awaitCursor(queue);
        assertThatThrownBy(() -> queue.poll(completions))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has been started and not ended");
        assertThatThrownBy(() -> queue.resize(128)).isInstanceOf(IllegalStateException.class);
        queue.cursor().end();
        assertThat(queue.awaitCompletions(completions, LONG)).isEqualTo(1);
        assertThat(completions.get(0).workRequestId()).isEqualTo(1);
        queue.resize(128);
        assertThat(queue.capacity()).isGreaterThanOrEqualTo(128);
    }

    @Test
    void mistakesAreExceptions() throws Exception {
        ExtendedCompletionQueue queue = create(QUEUE_PAIR_NUMBER);
        LoopbackPair pair = new LoopbackPair(domain, queue, device.createCompletionQueue(64));
        CompletionCursor cursor = queue.cursor();
        for (Runnable use : new Runnable[] {cursor::workRequestId, cursor::opcode, cursor::next, cursor::end}) {
            assertThatThrownBy(use::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has not been started by this thread");
        }
        pair.receive(1);
        pair.send(1, SendFlags.SIGNALED);
        awaitCursor(queue);
        assertThatThrownBy(cursor::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has been started and not ended");
        Object[][] absent = {
            {(Runnable) cursor::byteLength, "BYTE_LENGTH"},
            {(Runnable) cursor::immediateData, "IMMEDIATE_DATA"},
            {(Runnable) cursor::invalidatedRemoteKey, "IMMEDIATE_DATA"},
            {(Runnable) cursor::sourceQueuePairNumber, "SOURCE_QUEUE_PAIR_NUMBER"},
            {(Runnable) cursor::sourceLid, "SOURCE_LID"},
            {(Runnable) cursor::serviceLevel, "SERVICE_LEVEL"},
            {(Runnable) cursor::destinationPathBits, "DESTINATION_PATH_BITS"},
            {(Runnable) cursor::timestamp, "TIMESTAMP"},
            {(Runnable) cursor::wallClockTimestamp, "WALL_CLOCK_TIMESTAMP"},
            {(Runnable) cursor::vlanTag, "VLAN_TAG"},
            {(Runnable) cursor::flowTag, "FLOW_TAG"},
            {(Runnable) cursor::tag, "TAG_MATCHING"},
            {(Runnable) cursor::tagPrivateData, "TAG_MATCHING"},
        };
        for (Object[] field : absent) {
            assertThatThrownBy(((Runnable) field[0])::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("was created without WorkCompletionField." + field[1])
                    .hasMessageContaining("it has [QUEUE_PAIR_NUMBER]");
        }
        AtomicReference<Throwable> elsewhere = new AtomicReference<>();
        Thread.ofPlatform()
                .start(() -> {
                    try {
                        cursor.start();
                    } catch (IllegalStateException e) {
                        elsewhere.set(e);
                    }
                })
                .join();
        assertThat(elsewhere.get()).hasMessageContaining("is being polled by another thread");
        assertThat(cursor.next()).isFalse();
        assertThatThrownBy(cursor::workRequestId)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("stands on no completion");
        cursor.end();
    }

    @Test
    void closeEndsTheWayOfItsOwnThread() {
        ExtendedCompletionQueue queue = create();
        LoopbackPair pair = new LoopbackPair(domain, queue, device.createCompletionQueue(64));
        pair.receive(1);
        pair.send(1, SendFlags.SIGNALED);
        awaitCursor(queue);
        queue.close();
        assertThatThrownBy(() -> queue.cursor().opcode())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> queue.cursor().next()).isInstanceOf(IllegalStateException.class);
        queue.cursor().end();
        assertThatThrownBy(() -> queue.cursor().start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void closeThatRacesTheCursorIsAnException() throws Exception {
        for (int round = 0; round < 10; round++) {
            ExtendedCompletionQueue queue = create(QUEUE_PAIR_NUMBER);
            LoopbackPair pair = new LoopbackPair(domain, queue, device.createCompletionQueue(64));
            for (int i = 0; i < 20; i++) {
                pair.receive(i);
                pair.send(i, SendFlags.SIGNALED);
            }
            CountDownLatch started = new CountDownLatch(1);
            AtomicReference<Throwable> end = new AtomicReference<>();
            Thread thread = Thread.ofPlatform().start(() -> {
                CompletionCursor cursor = queue.cursor();
                try {
                    while (true) {
                        if (cursor.start()) {
                            started.countDown();
                            for (int i = 0; i < 2000; i++) {
                                cursor.queuePairNumber();
                            }
                            cursor.end();
                        }
                    }
                } catch (Throwable e) {
                    end.set(e);
                }
            });
            started.await();
            queue.close();
            thread.join();
            assertThat(end.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
            pair.buffer.close();
        }
    }

    @Test
    void failureIsReadThroughTheCursorToo() {
        ExtendedCompletionQueue queue = create(QUEUE_PAIR_NUMBER);
        LoopbackPair pair = new LoopbackPair(domain, queue, device.createCompletionQueue(64));
        RemoteMemory right = pair.buffer.remoteMemory();
        RemoteMemory wrong = new RemoteMemory(right.address(), 8, right.remoteKey() ^ 0x5555);
        assertThat(pair.pair.tryPostWrite(5, pair.buffer.slice(0, 8), wrong, SendFlags.SIGNALED))
                .isTrue();
        awaitCursor(queue);
        assertThat(queue.cursor().status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        assertThat(queue.cursor().workRequestId()).isEqualTo(5);
        assertThat(queue.cursor().queuePairNumber()).isEqualTo(pair.pair.number());
        queue.cursor().end();
    }
}
