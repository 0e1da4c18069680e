// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.gpudirect.GpuSide.Where;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Transfers that fail half way report the failure, return all their resources and leave the channel usable where
 * possible.
 */
abstract class ChannelFailureBehaviour extends TwoSides {
    static void assertFailed(Transfer transfer, long bytesDone, String words) {
        assertThat(transfer.state()).isEqualTo(Transfer.State.FAILED);
        assertThat(transfer.failure().orElseThrow()).hasMessageContaining(words);
        assertThat(transfer.bytesDone()).isEqualTo(bytesDone);
    }

    /** The channel brings a message as if nothing had been. */
    void assertGoesOn() {
        assertThat(left.channel.failure()).isEmpty();
        assertThat(right.channel.failure()).isEmpty();
        Transfer send = left.send(0, LENGTH);
        Transfer receive = right.receive(0, SIZE);
        finish(send, receive);
        assertThat(send.failure()).isEmpty();
        assertThat(receive.failure()).isEmpty();
        assertThat(right.bytes(0, LENGTH)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @EnumSource
    void messageThatIsTooLongIsRefusedOnBothSides(Where theirs) {
        connect(Where.STAGED, theirs);
        Transfer send = left.send(0, LENGTH);
        Transfer behind = left.send(1, 3);
        Transfer receive = right.receive(0, LENGTH - 1);
        Transfer second = right.receive(0, 3);
        finish(send, receive, behind, second);
        assertFailed(send, 0, "the message has 36869 bytes, but the peer's receive only 36868");
        assertFailed(receive, 0, "the peer's message has 36869 bytes, but the receive only 36868");
        assertThat(second.failure()).isEmpty();
        assertThat(right.bytes(0, 3)).containsExactly(bytes[1], bytes[2], bytes[3]);
        assertGoesOn();
    }

    @Test
    void keyThatThePeerDoesNotKnowEndsTheChannel() {
        connect(Where.STAGED, Where.HOST);
        RemoteMemory known = right.host.remoteMemory();
        Transfer write =
                left.write(0, LENGTH, new RemoteMemory(known.address(), known.length(), known.remoteKey() ^ 0x100));
        Transfer queued = left.send(0, 5);
        finish(write, queued);
        assertThat(write.failure().orElseThrow())
                .isInstanceOfSatisfying(
                        GpuTransferException.class,
                        e -> assertThat(e.status()).contains(WorkCompletionStatus.REM_ACCESS_ERR));
        assertThat(queued.failure().orElseThrow()).hasMessageContaining("the channel broke down");
        assertThat(left.channel.failure().orElseThrow().status()).contains(WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void peerThatIsGoneIsNoticed() {
        left = new GpuSide(Where.STAGED, folder, config -> config.chunkSize(CHUNK)).allocate(SIZE);
        right = new GpuSide(Where.HOST, folder, config -> config.chunkSize(CHUNK)).allocate(SIZE);
        left.prepared = left.gpu.prepareChannel();
        right.prepared = right.gpu.prepareChannel();
        left.channel = left.prepared.connect(
                right.prepared.endpoint(), config -> config.timeout(12).retryCount(1));
        right.prepared.connect(left.prepared.endpoint()).close();
        Transfer write = left.write(0, LENGTH, right.host.remoteMemory());
        assertThatThrownBy(() -> write.await(PATIENCE))
                .isInstanceOfSatisfying(
                        GpuTransferException.class,
                        e -> assertThat(e.status()).contains(WorkCompletionStatus.RETRY_EXC_ERR))
                .hasMessageContaining("failed after 0 bytes");
        assertThat(left.channel.failure()).isPresent();
    }

    @Test
    void waitingHasALimitAndClosingEndsWhatIsUnderWay() {
        connect(Where.STAGED, Where.STAGED);
        Transfer receive = left.receive(0, SIZE);
        Transfer send = left.send(0, LENGTH);
        assertThat(receive.await(Duration.ofMillis(20))).isFalse();
        assertThat(send.bytesDone()).isZero();
        left.channel.close();
        assertFailed(receive, 0, "was closed");
        assertFailed(send, 0, "was closed");
        assertThatThrownBy(() -> left.channel.progress()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> left.send(0, 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void memoryThatIsClosedUnderATransferFailsIt() {
        connect(Where.STAGED, Where.HOST);
        Transfer write = left.write(0, LENGTH, right.host.remoteMemory());
        left.memory.close();
        finish(write);
        assertFailed(write, 0, "is closed");
        assertThatThrownBy(() -> left.write(0, 1, right.host.remoteMemory()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void memoryThatCannotBeReceivedIntoRefusesItsMessage() {
        connect(Where.STAGED, Where.HOST);
        Transfer send = left.send(0, LENGTH);
        Transfer behind = left.send(3, 4);
        Transfer receive =
                right.channel.receive(right.domain.allocateMemory(SIZE).slice());
        Transfer next = right.receive(0, SIZE);
        finish(send, behind, receive, next);
        assertThat(receive.failure().orElseThrow()).hasMessageContaining("LOCAL_WRITE");
        assertFailed(send, 0, "the peer's receive for the message failed");
        assertThat(behind.failure()).isEmpty();
        assertThat(next.failure()).isEmpty();
        assertThat(right.bytes(0, 4)).containsExactly(bytes[3], bytes[4], bytes[5], bytes[6]);
        DeviceRegion readOnly = left.gpu.register(left.memory);
        assertThatThrownBy(() -> left.channel.receive(readOnly, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("without LOCAL_WRITE");
        assertGoesOn();
    }

    @Test
    void foreignObjectsAreRefused() {
        connect(Where.STAGED, Where.STAGED);
        assertThatThrownBy(() -> left.channel.send(right.region, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another GPU or adapter");
        assertThatThrownBy(() -> left.send(0, SIZE + 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> left.write(0, 9, new RemoteMemory(0, 8, 0)))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> ChannelEndpoint.fromBytes(new byte[3])).hasMessageContaining("not 3");
    }
}
