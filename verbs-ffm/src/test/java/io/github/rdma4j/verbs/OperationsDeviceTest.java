// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.SendFlags.INLINE;
import static io.github.rdma4j.verbs.SendFlags.NONE;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static io.github.rdma4j.verbs.SendOperation.BIND_MEMORY_WINDOW;
import static io.github.rdma4j.verbs.SendOperation.COMPARE_AND_SWAP;
import static io.github.rdma4j.verbs.SendOperation.FETCH_AND_ADD;
import static io.github.rdma4j.verbs.SendOperation.LOCAL_INVALIDATE;
import static io.github.rdma4j.verbs.SendOperation.RDMA_READ;
import static io.github.rdma4j.verbs.SendOperation.RDMA_WRITE;
import static io.github.rdma4j.verbs.SendOperation.RDMA_WRITE_WITH_IMMEDIATE;
import static io.github.rdma4j.verbs.SendOperation.SEND;
import static io.github.rdma4j.verbs.SendOperation.SEND_WITH_IMMEDIATE;
import static io.github.rdma4j.verbs.SendOperation.SEND_WITH_INVALIDATE;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests every operation, with basic and extended posting, on each type of queue pair, and compares the data on the
 * other side.
 */
@Tag("device")
class OperationsDeviceTest {
    private static final Set<SendOperation> CONNECTED =
            EnumSet.of(SEND, SEND_WITH_IMMEDIATE, RDMA_WRITE, RDMA_WRITE_WITH_IMMEDIATE);
    private static final Set<SendOperation> RELIABLE = EnumSet.of(
            SEND,
            SEND_WITH_IMMEDIATE,
            SEND_WITH_INVALIDATE,
            RDMA_WRITE,
            RDMA_WRITE_WITH_IMMEDIATE,
            RDMA_READ,
            COMPARE_AND_SWAP,
            FETCH_AND_ADD,
            BIND_MEMORY_WINDOW,
            LOCAL_INVALIDATE);

    /** How a queue pair posts, and of which type it is. */
    enum Kind {
        RC_BASIC(QueuePairType.RC),
        RC_EXTENDED(QueuePairType.RC, RELIABLE.toArray(SendOperation[]::new)),
        UC_BASIC(QueuePairType.UC),
        UC_EXTENDED(QueuePairType.UC, CONNECTED.toArray(SendOperation[]::new)),
        UD_BASIC(QueuePairType.UD),
        UD_EXTENDED(QueuePairType.UD, SEND, SEND_WITH_IMMEDIATE);

        final QueuePairType type;
        final SendOperation[] operations;

        Kind(QueuePairType type, SendOperation... operations) {
            this.type = type;
            this.operations = operations;
        }
    }

    private PostingPair pair;

    private void open(Kind kind) {
        pair = new PostingPair(kind.type, kind.operations);
    }

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
    }

    private static void post(SendBatch batch, int requests) {
        assertThat(batch.tryPost()).isTrue();
        assertThat(batch.size()).isZero();
    }

    private void assertSent(long workRequestId, WorkCompletionOpcode opcode) {
        WorkCompletion sent = pair.await();
        assertThat(sent.isSuccess()).as(sent.describe()).isTrue();
        assertThat(sent.workRequestId()).isEqualTo(workRequestId);
        assertThat(sent.opcode()).isEqualTo(opcode);
    }

    private WorkCompletion assertReceived(long workRequestId, String text, int length) {
        WorkCompletion received = pair.awaitPeer();
        assertThat(received.isSuccess()).as(received.describe()).isTrue();
        assertThat(received.workRequestId()).isEqualTo(workRequestId);
        assertThat(received.byteLength()).isEqualTo(length + pair.headerLength());
        assertThat(pair.peerBuffer.segment().getString(pair.headerLength())).isEqualTo(text);
        return received;
    }

    private MemorySlice write(String text) {
        pair.buffer.segment().setString(0, text);
        return pair.buffer.slice(0, text.length() + 1);
    }

    private void postReceive(long workRequestId) {
        assertThat(pair.peer.tryPostReceive(workRequestId, pair.peerBuffer.slice(0, 256)))
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void sendArrives(Kind kind) {
        open(kind);
        postReceive(11);
        MemorySlice message = write("a message");
        post(pair.startBatch().send(1, message, SIGNALED), 1);
        assertSent(1, WorkCompletionOpcode.SEND);
        assertThat(assertReceived(11, "a message", 10).opcode()).isEqualTo(WorkCompletionOpcode.RECEIVE);
    }

    @ParameterizedTest
    @EnumSource
    void inlineSendTakesItsDataWhenItIsAdded(Kind kind) {
        open(kind);
        postReceive(11);
        MemorySlice message = write("inline");
        SendBatch batch = pair.startBatch().send(1, message, SIGNALED | INLINE);
        write("too late");
        post(batch, 1);
        assertSent(1, WorkCompletionOpcode.SEND);
        assertReceived(11, "inline", 7);
    }

    @ParameterizedTest
    @EnumSource
    void listIsOneMessage(Kind kind) {
        open(kind);
        postReceive(11);
        pair.buffer.segment().setString(0, "abcd");
        pair.buffer.segment().setString(100, "efgh");
        pair.buffer.segment().setString(200, "ijk");
        SliceList list = SliceList.of(pair.buffer.slice(0, 4), pair.buffer.slice(100, 4), pair.buffer.slice(200, 4));
        post(pair.startBatch().send(1, list, SIGNALED), 1);
        assertSent(1, WorkCompletionOpcode.SEND);
        assertReceived(11, "abcdefghijk", 12);
    }

    @ParameterizedTest
    @EnumSource
    void inlineListMayHaveSlicesOfAnyLengthAndMoreThanARequestHasEntries(Kind kind) {
        open(kind);
        postReceive(11);
        pair.buffer.segment().setString(0, "abcdefgh");
        SliceList list = SliceList.of(
                pair.buffer.slice(7, 1),
                pair.buffer.slice(5, 2),
                pair.buffer.slice(2, 3),
                pair.buffer.slice(0, 2),
                pair.buffer.slice(8, 1));
        post(pair.startBatch().send(1, list, SIGNALED | INLINE), 1);
        assertSent(1, WorkCompletionOpcode.SEND);
        assertReceived(11, "hfgcdeab", 9);
    }

    @ParameterizedTest
    @EnumSource
    void messageMayBeEmpty(Kind kind) {
        open(kind);
        for (int i = 0; i < 3; i++) {
            postReceive(11 + i);
        }
        post(
                pair.startBatch()
                        .send(1, pair.buffer.slice(0, 0), NONE)
                        .send(2, SliceList.of(), NONE)
                        .send(3, pair.buffer.slice(0, 0), SIGNALED | INLINE),
                3);
        assertSent(3, WorkCompletionOpcode.SEND);
        for (int i = 0; i < 3; i++) {
            WorkCompletion received = awaitOneOfPeer();
            assertThat(received.isSuccess()).as(received.describe()).isTrue();
            assertThat(received.byteLength()).isEqualTo(pair.headerLength());
        }
    }

    /** With completions fetched one at a time. */
    private WorkCompletion awaitOneOfPeer() {
        WorkCompletions one = WorkCompletions.allocate(1);
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (pair.peerQueue.poll(one) == 0) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
        return one.get(0);
    }

    @ParameterizedTest
    @EnumSource
    void numberTravelsBesideAMessage(Kind kind) {
        open(kind);
        postReceive(11);
        MemorySlice message = write("with a number");
        post(pair.startBatch().sendWithImmediate(1, message, 0x89abcdef, SIGNALED), 1);
        assertSent(1, WorkCompletionOpcode.SEND);
        WorkCompletion received = assertReceived(11, "with a number", 14);
        assertThat(received.hasImmediateData()).isTrue();
        assertThat(received.immediateData()).isEqualTo(0x89abcdef);
    }

    @ParameterizedTest
    @EnumSource
    void shorthandsOfTheQueuePairPostInTheSameWay(Kind kind) {
        open(kind);
        postReceive(11);
        MemorySlice message = write("shorthand");
        assertThat(
                        pair.toPeer == null
                                ? pair.pair.tryPostSend(1, message, SIGNALED)
                                : pair.pair.tryPostSend(1, message, pair.toPeer, SIGNALED))
                .isTrue();
        assertSent(1, WorkCompletionOpcode.SEND);
        assertReceived(11, "shorthand", 10);
        postReceive(12);
        assertThat(
                        pair.toPeer == null
                                ? pair.pair.tryPostSendWithImmediate(2, message, 77, SIGNALED | INLINE)
                                : pair.pair.tryPostSendWithImmediate(2, message, 77, pair.toPeer, SIGNALED | INLINE))
                .isTrue();
        assertSent(2, WorkCompletionOpcode.SEND);
        assertThat(assertReceived(12, "shorthand", 10).immediateData()).isEqualTo(77);
    }

    @ParameterizedTest
    @EnumSource
    void oneDoorbellForManyRequests(Kind kind) {
        open(kind);
        MemorySegment source = pair.buffer.segment();
        for (int i = 0; i < 8; i++) {
            source.set(ValueLayout.JAVA_BYTE, i, (byte) ('a' + i));
            assertThat(pair.peer.tryPostReceive(10 + i, pair.peerBuffer.slice(i * 64L, 64)))
                    .isTrue();
        }
        SendBatch batch = pair.startBatch();
        for (int i = 0; i < 8; i++) {
            batch.send(i, pair.buffer.slice(i, 1), i == 7 ? SIGNALED : NONE);
        }
        post(batch, 8);
        assertSent(7, WorkCompletionOpcode.SEND);
        for (int i = 0; i < 8; i++) {
            WorkCompletion received = awaitOneOfPeer();
            assertThat(received.workRequestId()).isEqualTo(10 + i);
            assertThat(pair.peerBuffer.segment().get(ValueLayout.JAVA_BYTE, i * 64L + pair.headerLength()))
                    .isEqualTo((byte) ('a' + i));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RC_BASIC", "RC_EXTENDED", "UC_BASIC", "UC_EXTENDED"})
    void writeArrivesInTheRightPlace(Kind kind) {
        open(kind);
        RemoteMemory target = pair.peerBuffer.remoteMemory();
        MemorySlice message = write("written");
        pair.buffer.segment().setString(100, "abcd");
        SliceList list = SliceList.of(pair.buffer.slice(100, 2), pair.buffer.slice(103, 2));
        post(
                pair.startBatch()
                        .write(1, message, target.slice(512, 8), NONE)
                        .write(2, message, target.slice(1024, 8), INLINE)
                        .write(3, list, target.slice(1536, 4), NONE)
                        .write(4, pair.buffer.slice(0, 0), target.slice(2048, 0), SIGNALED),
                4);
        assertSent(4, WorkCompletionOpcode.RDMA_WRITE);
        // An unreliable connection completes when the packets are sent. A later message shows that they have arrived.
        postReceive(11);
        post(pair.startBatch().send(5, pair.buffer.slice(200, 1), SIGNALED), 1);
        assertSent(5, WorkCompletionOpcode.SEND);
        assertThat(pair.awaitPeer().isSuccess()).isTrue();
        MemorySegment arrived = pair.peerBuffer.segment();
        assertThat(arrived.getString(512)).isEqualTo("written");
        assertThat(arrived.getString(1024)).isEqualTo("written");
        assertThat(arrived.getString(1536)).isEqualTo("abd");
        assertThat(arrived.get(ValueLayout.JAVA_BYTE, 2048)).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"RC_BASIC", "RC_EXTENDED", "UC_BASIC", "UC_EXTENDED"})
    void writeWithImmediateNotifiesThePeer(Kind kind) {
        open(kind);
        postReceive(11);
        MemorySlice message = write("look here");
        post(
                pair.startBatch()
                        .writeWithImmediate(
                                1, message, pair.peerBuffer.remoteMemory().slice(300, 10), -2, SIGNALED),
                1);
        assertSent(1, WorkCompletionOpcode.RDMA_WRITE);
        WorkCompletion received = pair.awaitPeer();
        assertThat(received.isSuccess()).as(received.describe()).isTrue();
        assertThat(received.opcode()).isEqualTo(WorkCompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE);
        assertThat(received.immediateData()).isEqualTo(-2);
        assertThat(received.byteLength()).isEqualTo(10);
        assertThat(pair.peerBuffer.segment().getString(300)).isEqualTo("look here");
    }

    @ParameterizedTest
    @EnumSource(names = {"RC_BASIC", "RC_EXTENDED"})
    void readBringsThePeersMemory(Kind kind) {
        open(kind);
        pair.peerBuffer.segment().setString(64, "to be read");
        RemoteMemory source = pair.peerBuffer.remoteMemory().slice(64, 12);
        SliceList list = SliceList.of(pair.buffer.slice(100, 4), pair.buffer.slice(200, 4), pair.buffer.slice(300, 4));
        post(
                pair.startBatch()
                        .read(1, pair.buffer.slice(0, 12), source, NONE)
                        .read(2, list, source, NONE)
                        .read(3, pair.buffer.slice(500, 0), source.slice(0, 0), SIGNALED),
                3);
        assertSent(3, WorkCompletionOpcode.RDMA_READ);
        assertThat(pair.buffer.segment().getString(0)).isEqualTo("to be read");
        assertThat(pair.buffer.segment().asSlice(100, 4).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo("to b".getBytes());
        assertThat(pair.buffer.segment().asSlice(200, 4).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo("e re".getBytes());
        assertThat(pair.buffer.segment().getString(300)).isEqualTo("ad");
    }

    @ParameterizedTest
    @EnumSource(names = {"RC_BASIC", "RC_EXTENDED"})
    void atomicOperationsReturnTheOldValue(Kind kind) {
        open(kind);
        MemorySegment counter = pair.peerBuffer.segment();
        counter.set(ValueLayout.JAVA_LONG, 64, 40L);
        RemoteMemory target = pair.peerBuffer.remoteMemory().slice(64, 8);
        post(
                pair.startBatch()
                        .fetchAndAdd(1, pair.buffer.slice(0, 8), target, 2, NONE)
                        .compareAndSwap(2, pair.buffer.slice(8, 8), target, 42, Long.MIN_VALUE, NONE)
                        .compareAndSwap(3, pair.buffer.slice(16, 8), target, 42, 1, SIGNALED),
                3);
        assertSent(3, WorkCompletionOpcode.COMPARE_AND_SWAP);
        assertThat(pair.buffer.segment().asSlice(0, 24).toArray(ValueLayout.JAVA_LONG))
                .containsExactly(40, 42, Long.MIN_VALUE);
        assertThat(counter.get(ValueLayout.JAVA_LONG, 64)).isEqualTo(Long.MIN_VALUE);
        assertThat(pair.pair.tryPostFetchAndAdd(4, pair.buffer.slice(0, 8), target, -1, SIGNALED))
                .isTrue();
        assertSent(4, WorkCompletionOpcode.FETCH_AND_ADD);
        assertThat(counter.get(ValueLayout.JAVA_LONG, 64)).isEqualTo(Long.MAX_VALUE);
        assertThat(pair.pair.tryPostCompareAndSwap(5, pair.buffer.slice(0, 8), target, Long.MAX_VALUE, 7, SIGNALED))
                .isTrue();
        assertSent(5, WorkCompletionOpcode.COMPARE_AND_SWAP);
        assertThat(counter.get(ValueLayout.JAVA_LONG, 64)).isEqualTo(7);
    }

    @ParameterizedTest
    @EnumSource(names = {"RC_BASIC", "RC_EXTENDED"})
    void windowIsBoundUsedAndTakenBackByBothSides(Kind kind) {
        open(kind);
        MemoryWindow window = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_2);
        int first = window.nextRemoteKey();
        assertThat(pair.peer.tryPostBindMemoryWindow(
                        21, window, first, pair.peerBuffer.slice(1024, 64), SIGNALED, AccessFlag.REMOTE_WRITE))
                .isTrue();
        assertThat(pair.awaitPeer().opcode()).isEqualTo(WorkCompletionOpcode.BIND_MEMORY_WINDOW);
        MemorySlice message = write("through a window");
        post(pair.startBatch().write(1, message, window.remoteMemory().slice(0, 17), SIGNALED), 1);
        assertSent(1, WorkCompletionOpcode.RDMA_WRITE);
        assertThat(pair.peerBuffer.segment().getString(1024)).isEqualTo("through a window");

        postReceive(11);
        post(pair.startBatch().sendWithInvalidate(2, message, window.remoteKey(), SIGNALED), 1);
        assertSent(2, WorkCompletionOpcode.SEND);
        // Hardware reports the invalidated key in the completion. SoftRoCE does not report it to programs.
        assertReceived(11, "through a window", 17);
        window.invalidated();

        int second = window.nextRemoteKey();
        SendBatch batch = pair.peer
                .startBatch()
                .bindMemoryWindow(22, window, second, pair.peerBuffer.slice(0, 64), NONE, AccessFlag.REMOTE_WRITE)
                .localInvalidate(23, second, SIGNALED);
        post(batch, 2);
        WorkCompletion invalidated = pair.awaitPeer();
        assertThat(invalidated.isSuccess()).as(invalidated.describe()).isTrue();
        assertThat(invalidated.opcode()).isEqualTo(WorkCompletionOpcode.LOCAL_INVALIDATE);
        RemoteMemory gone = window.remoteMemory();
        window.invalidated();
        post(pair.startBatch().write(3, message, gone.slice(0, 17), SIGNALED), 1);
        assertThat(pair.await().status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
    }
}
