// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.CudaWaitInterruptedException;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.GpuSide.Where;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Transfers with memory of the stand-in's GPU. */
@Tag("device")
@ExtendWith(StandInDriver.class)
class DeviceChannelDeviceTest extends DeviceChannelBehaviour {
    @Test
    void slowReceiverHoldsTheSenderBackAndNothingGrows() {
        connect(Where.STAGED, Where.STAGED);
        byte[] sent = someBytes(60 * CHUNK);
        left.fill(0, sent);
        Transfer send = left.send(0, sent.length);
        long pinned = StandInDriver.get("allocations.host");
        for (int i = 0; i < 200; i++) {
            left.channel.progress();
            right.channel.progress();
        }
        // Nobody receives yet: nothing has gone.
        assertThat(send.bytesDone()).isZero();
        assertThat(send.isEnded()).isFalse();
        Transfer receive = right.receive(0, SIZE);
        StandInDriver.copyDelay(1000, 0);
        finishWell(send, receive);
        assertThat(right.bytes(0, sent.length)).isEqualTo(sent);
        assertThat(receive.length()).isEqualTo(sent.length);
        // One more ring, the receiver's, of four chunks; however long the message.
        assertThat(StandInDriver.get("allocations.host") - pinned).isEqualTo(1);
    }

    @Test
    void hostWaitsWhereAStreamCannot() {
        connect(Where.HOST, Where.PEER_MEMORY);
        CudaStream behind = right.context.createStream();
        StandInDriver.deny("cuStreamWaitValue32");
        Transfer receive = right.receive(0, 16);
        assertThatThrownBy(() -> receive.follow(behind, Duration.ofMillis(20)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the stream cannot wait for it");
        Transfer send = left.send(0, 16);
        finish(send);
        receive.follow(behind, PATIENCE);
        assertThat(receive.state()).isEqualTo(Transfer.State.DONE);
    }

    @Test
    void interruptEndsAWaitAndTheTransferGoesOn() {
        connect(Where.HOST, Where.PEER_MEMORY);
        CudaStream behind = right.context.createStream();
        StandInDriver.deny("cuStreamWaitValue32");
        Transfer receive = right.receive(0, 16);
        for (Runnable wait : List.<Runnable>of(() -> receive.await(PATIENCE), () -> receive.follow(behind, PATIENCE))) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(wait::run).isInstanceOf(CudaWaitInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
        finishWell(left.send(0, 16), receive);
        assertThat(receive.await(PATIENCE)).isTrue();
    }

    @Override
    void slowCopies(int microseconds) {
        StandInDriver.copyDelay(microseconds, 0);
    }

    @Override
    @AfterEach
    void close() {
        super.close();
        assertThat(StandInDriver.open()).isEmpty();
    }
}
