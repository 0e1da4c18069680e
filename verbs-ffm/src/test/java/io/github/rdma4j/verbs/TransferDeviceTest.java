// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.SendFlags.INLINE;
import static io.github.rdma4j.verbs.SendFlags.NONE;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests the data path on a reliable connection: every operation, every way of posting it, and the results of mistakes.
 */
@Tag("device")
class TransferDeviceTest {
    private static final int SIZE = 16_384;

    private final ConnectedPair pair = new ConnectedPair(
            SIZE, config -> config.maxInlineData(64).maxSendWorkRequests(16).maxReceiveWorkRequests(4));

    @AfterEach
    void close() {
        pair.close();
    }

    private static void fill(MemoryRegion region, int seed) {
        for (long i = 0; i < region.length(); i++) {
            region.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (seed + i * 31));
        }
    }

    private void assertEqual(long from, long peerFrom, long length) {
        assertThat(pair.peerBuffer
                        .segment()
                        .asSlice(peerFrom, length)
                        .mismatch(pair.buffer.segment().asSlice(from, length)))
                .isEqualTo(-1);
    }

    @Test
    void bothSidesAreReadyToSend() {
        assertThat(pair.pair.state()).isEqualTo(QueuePairState.RTS);
        assertThat(pair.peer.state()).isEqualTo(QueuePairState.RTS);
    }

    @Test
    void writeArrivesAtItsPlaceAndNowhereElse() {
        fill(pair.buffer, 1);
        pair.peerBuffer.segment().fill((byte) 0);
        RemoteMemory target = pair.peerBuffer.remoteMemory();
        assertThat(pair.pair.tryPostWrite(77, pair.buffer.slice(100, 5000), target.slice(300, 5000), SIGNALED))
                .isTrue();
        WorkCompletion completion = pair.await();
        assertThat(completion.isSuccess()).as(completion.describe()).isTrue();
        assertThat(completion.workRequestId()).isEqualTo(77);
        assertThat(completion.opcode()).isEqualTo(WorkCompletionOpcode.RDMA_WRITE);
        assertThat(completion.queuePairNumber()).isEqualTo(pair.pair.number());
        assertEqual(100, 300, 5000);
        assertThat(pair.peerBuffer.segment().asSlice(0, 300).toArray(ValueLayout.JAVA_BYTE))
                .containsOnly(0);
        assertThat(pair.peerBuffer.segment().asSlice(5300).toArray(ValueLayout.JAVA_BYTE))
                .containsOnly(0);
    }

    @Test
    void readFetches() {
        fill(pair.peerBuffer, 5);
        assertThat(pair.pair.tryPostRead(1, pair.buffer.slice(), pair.peerBuffer.remoteMemory(), SIGNALED))
                .isTrue();
        WorkCompletion completion = pair.await();
        assertThat(completion.isSuccess()).as(completion.describe()).isTrue();
        assertThat(completion.opcode()).isEqualTo(WorkCompletionOpcode.RDMA_READ);
        assertEqual(0, 0, SIZE);
    }

    @Test
    void sendGoesIntoTheOldestReceive() {
        fill(pair.buffer, 9);
        assertThat(pair.peer.tryPostReceive(10, pair.peerBuffer.slice(0, 1000))).isTrue();
        assertThat(pair.peer.tryPostReceive(11, pair.peerBuffer.slice(1000, 1000)))
                .isTrue();
        assertThat(pair.pair.tryPostSend(1, pair.buffer.slice(0, 700), SIGNALED))
                .isTrue();
        WorkCompletion received = pair.awaitPeer();
        assertThat(received.isSuccess()).as(received.describe()).isTrue();
        assertThat(received.workRequestId()).isEqualTo(10);
        assertThat(received.opcode()).isEqualTo(WorkCompletionOpcode.RECEIVE);
        assertThat(received.byteLength()).isEqualTo(700);
        assertThat(pair.await().opcode()).isEqualTo(WorkCompletionOpcode.SEND);
        assertEqual(0, 0, 700);
    }

    @Test
    void inlineDataIsCopiedWhilePosting() {
        assertThat(pair.pair.maxInlineData()).isEqualTo(64);
        MemorySegment memory = pair.buffer.segment();
        memory.setString(0, "before");
        assertThat(pair.pair.tryPostWrite(
                        1,
                        pair.buffer.slice(0, 7),
                        pair.peerBuffer.remoteMemory().slice(0, 7),
                        SIGNALED | INLINE))
                .isTrue();
        memory.setString(0, "after!");
        assertThat(pair.await().isSuccess()).isTrue();
        assertThat(pair.peerBuffer.segment().getString(0)).isEqualTo("before");
    }

    @Test
    void onlySignaledRequestsComplete() {
        RemoteMemory target = pair.peerBuffer.remoteMemory().slice(0, 8);
        MemorySlice source = pair.buffer.slice(0, 8);
        for (int i = 0; i < 7; i++) {
            assertThat(pair.pair.tryPostWrite(i, source, target, NONE)).isTrue();
        }
        assertThat(pair.pair.tryPostWrite(7, source, target, SIGNALED)).isTrue();
        assertThat(pair.await().workRequestId()).isEqualTo(7);
        assertThat(pair.queue.poll(pair.completions)).isZero();
    }

    @Test
    void batchPostsItsRequestsInOrder() {
        fill(pair.buffer, 3);
        SendBatch batch = pair.pair.startBatch();
        RemoteMemory target = pair.peerBuffer.remoteMemory();
        for (int i = 0; i < 8; i++) {
            long at = i * 512L;
            batch.write(i, pair.buffer.slice(at, 512), target.slice(at, 512), i == 7 ? SIGNALED : NONE);
        }
        assertThat(batch.size()).isEqualTo(8);
        assertThat(batch.tryPost()).isTrue();
        assertThat(batch.size()).isZero();
        assertThat(pair.await().workRequestId()).isEqualTo(7);
        assertEqual(0, 0, 8 * 512);
        // The batch is used again; its links must be whole.
        assertThat(pair.pair
                        .startBatch()
                        .write(1, pair.buffer.slice(0, 1), target.slice(0, 1), SIGNALED)
                        .tryPost())
                .isTrue();
        assertThat(pair.await().workRequestId()).isEqualTo(1);
        SendBatch second = pair.pair.startBatch();
        second.read(20, pair.buffer.slice(0, 8), target.slice(0, 8), NONE);
        second.write(21, pair.buffer.slice(0, 8), target.slice(0, 8), SIGNALED);
        assertThat(second.tryPost()).isTrue();
        assertThat(pair.await().workRequestId()).isEqualTo(21);
    }

    @Test
    void batchHoldsNoMoreThanItsCapacity() {
        SendBatch batch = pair.pair.startBatch();
        assertThat(batch.capacity()).isEqualTo(16);
        RemoteMemory target = pair.peerBuffer.remoteMemory();
        for (int i = 0; i < batch.capacity(); i++) {
            batch.write(i, pair.buffer.slice(0, 8), target.slice(0, 8), NONE);
        }
        assertThatThrownBy(() -> batch.write(99, pair.buffer.slice(0, 8), target.slice(0, 8), NONE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("full: it holds 16 requests; post them first");
        assertThat(pair.pair.startBatch().tryPost()).isTrue();
    }

    @Test
    void fullQueueIsAReturnValueAndNothingIsLost() {
        // Receives, because without a sender they stay.
        int posted = 0;
        while (pair.peer.tryPostReceive(posted, pair.peerBuffer.slice(posted % 16, 8))) {
            posted++;
            assertThat(posted).isLessThan(10_000);
        }
        assertThat(posted).isGreaterThanOrEqualTo(4);
        for (int i = 0; i < posted; i++) {
            assertThat(pair.pair.tryPostSend(i, pair.buffer.slice(0, 8), SIGNALED))
                    .isTrue();
            assertThat(pair.awaitPeer().workRequestId()).isEqualTo(i);
            assertThat(pair.await().isSuccess()).isTrue();
        }
        assertThat(pair.peer.tryPostReceive(0, pair.peerBuffer.slice(0, 8))).isTrue();
    }

    @Test
    void wrongKeyEndsTheConnectionWithAnExplanation() {
        RemoteMemory right = pair.peerBuffer.remoteMemory();
        RemoteMemory wrong = new RemoteMemory(right.address(), 8, right.remoteKey() ^ 0x5555);
        assertThat(pair.pair.tryPostWrite(5, pair.buffer.slice(0, 8), wrong, SIGNALED))
                .isTrue();
        WorkCompletion completion = pair.await();
        assertThat(completion.status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        assertThat(completion.workRequestId()).isEqualTo(5);
        assertThat(completion.describe()).contains("remote key").contains("0x5");
        assertThat(pair.pair.state()).isEqualTo(QueuePairState.ERR);
        assertThat(pair.pair.tryPostWrite(6, pair.buffer.slice(0, 8), right.slice(0, 8), SIGNALED))
                .isTrue();
        assertThat(pair.await().status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void errorStateGivesEverythingPostedBack() {
        assertThat(pair.peer.tryPostReceive(3, pair.peerBuffer.slice(0, 8))).isTrue();
        pair.peer.toError();
        assertThat(pair.peer.state()).isEqualTo(QueuePairState.ERR);
        WorkCompletion flushed = pair.awaitPeer();
        assertThat(flushed.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
        assertThat(flushed.workRequestId()).isEqualTo(3);
        pair.peer.toError();
    }

    @Test
    void emptyMessageTravelsToo() {
        assertThat(pair.pair.tryPostWrite(
                        1,
                        pair.buffer.slice(0, 0),
                        pair.peerBuffer.remoteMemory().slice(0, 0),
                        SIGNALED))
                .isTrue();
        assertThat(pair.await().isSuccess()).isTrue();
    }

    @Test
    void messageLongerThanTheReceiveFails() {
        assertThat(pair.peer.tryPostReceive(1, pair.peerBuffer.slice(0, 10))).isTrue();
        assertThat(pair.pair.tryPostSend(1, pair.buffer.slice(0, 11), SIGNALED)).isTrue();
        assertThat(pair.await().isSuccess()).isFalse();
        // Adapters report LOC_LEN_ERR, and SoftRoCE reports LOC_QP_OP_ERR.
        assertThat(pair.awaitPeer().status())
                .isIn(WorkCompletionStatus.LOC_LEN_ERR, WorkCompletionStatus.LOC_QP_OP_ERR);
    }

    @Test
    void mistakesAreExceptionsBeforeTheAdapterSeesThem() {
        RemoteMemory target = pair.peerBuffer.remoteMemory();
        assertThatThrownBy(() -> pair.pair.tryPostWrite(1, pair.buffer.slice(0, 9), target.slice(0, 8), SIGNALED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("9 bytes do not fit");
        assertThatThrownBy(() -> pair.pair.tryPostWrite(1, pair.buffer.slice(0, 65), target, INLINE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65 bytes inline")
                .hasMessageContaining("64");
        assertThatThrownBy(() -> pair.pair.tryPostRead(1, pair.buffer.slice(0, 8), target, INLINE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("read cannot be inline");
        assertThatThrownBy(() -> pair.pair.tryPostSend(1, pair.buffer.slice(0, 8), 1 << 30))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("SendFlags");
        try (Arena arena = Arena.ofConfined()) {
            MemoryRegion readOnly = pair.domain.registerMemory(arena.allocate(64));
            assertThatThrownBy(() -> pair.pair.tryPostRead(1, readOnly.slice(0, 8), target, SIGNALED))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("without LOCAL_WRITE");
            assertThatThrownBy(() -> pair.pair.tryPostReceive(1, readOnly.slice(0, 8)))
                    .isInstanceOf(IllegalArgumentException.class);
            readOnly.close();
            assertThatThrownBy(() -> pair.pair.tryPostSend(1, readOnly.slice(0, 8), SIGNALED))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is closed");
        }
        try (Arena arena = Arena.ofConfined();
                ProtectionDomain other = pair.device.allocateProtectionDomain()) {
            MemoryRegion foreign = other.registerMemory(arena.allocate(64), AccessFlag.LOCAL_WRITE);
            assertThatThrownBy(() -> pair.pair.tryPostSend(1, foreign.slice(0, 8), SIGNALED))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another protection domain");
        }
        assertThat(pair.queue.poll(pair.completions)).isZero();
    }

    @Test
    void inlineDataOfAClosedArenaIsAnExceptionAndNoCrash() {
        Arena arena = Arena.ofConfined();
        MemoryRegion region = pair.domain.registerMemory(arena.allocate(64), AccessFlag.LOCAL_WRITE);
        MemorySlice slice = region.slice(0, 8);
        arena.close();
        assertThatThrownBy(() -> pair.pair.tryPostSend(1, slice, SIGNALED | INLINE))
                .isInstanceOf(IllegalStateException.class);
    }
}
