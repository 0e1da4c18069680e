// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.gpudirect.GpuSide.Where;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Streams, failures and closes that meet: nothing hangs, no old byte is sent, no message vouches for bytes that are not
 * there, and memory that is its user's again stays as the user has it.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class ChannelSoundnessBehaviour extends TwoSides {
    static void assertDone(Transfer... transfers) {
        for (Transfer transfer : transfers) {
            assertThat(transfer.failure()).as(transfer.toString()).isEmpty();
        }
    }

    static void assertFailed(Transfer transfer, String words) {
        assertThat(transfer.state()).isEqualTo(Transfer.State.FAILED);
        assertThat(transfer.failure().orElseThrow()).hasMessageContaining(words);
    }

    @Test
    void closingOneChannelDoesNotWaitForAStreamThatFollowsAnother() {
        connect(Where.STAGED, Where.HOST);
        GpuSide other = new GpuSide(Where.HOST, folder, config -> config.chunkSize(CHUNK)).allocate(SIZE);
        try {
            PreparedChannel prepared = left.gpu.prepareChannel();
            other.prepared = other.gpu.prepareChannel();
            DeviceChannel second = prepared.connect(other.prepared.endpoint());
            other.channel = other.prepared.connect(prepared.endpoint());
            Transfer first = second.write(left.region, 0, CHUNK, other.host.remoteMemory());
            assertThat(first.await(PATIENCE)).isTrue();

            CudaStream behind = left.context.createStream();
            Transfer receive = left.receive(0, CHUNK);
            receive.follow(behind, PATIENCE);
            // This thread alone moves both channels.
            second.close();
            assertThat(behind.isDone()).isFalse();
            Transfer send = right.send(0, CHUNK);
            finish(send, receive);
            assertThat(behind.await(PATIENCE)).isTrue();
        } finally {
            other.close();
        }
    }

    @Test
    void adapterThatIsClosedFirstDoesNotHoldUpTheChannel() {
        connect(Where.STAGED, Where.HOST);
        Transfer done = left.write(0, CHUNK, right.host.remoteMemory());
        finish(done);
        Transfer receive = left.receive(0, SIZE);
        right.send(0, SIZE);
        left.channel.progress();
        right.channel.progress();
        left.channel.progress();
        left.device.close();
        long start = System.nanoTime();
        left.channel.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
        assertThat(receive.state()).isEqualTo(Transfer.State.FAILED);
    }
}
