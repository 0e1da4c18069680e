// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.GpuSide.Where;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.RemoteMemory;
import java.lang.foreign.Arena;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The same on the stand-in's GPU, whose driver is slow, or refuses something, where a test wants it. */
@Tag("device")
@ExtendWith(StandInDriver.class)
class ChannelSoundnessDeviceTest extends ChannelSoundnessBehaviour {
    private static final int SLOW_MICROSECONDS = 100_000;
    private static final int STREAM_CAPTURE_UNSUPPORTED = 900;
    private static final int INVALID_VALUE = 1;

    private final Arena arena = Arena.ofShared();
    private FailingPosts posts;

    @Override
    void beforeConnecting() {
        posts = new FailingPosts(left.device, arena);
    }

    /** Work that takes a tenth of a second; it writes to the last chunk. */
    private static CudaStream busyStream(GpuSide side) {
        CudaStream stream = side.context.createStream();
        StandInDriver.copyDelay(SLOW_MICROSECONDS, 0);
        stream.fill(side.memory, SIZE - CHUNK, CHUNK, (byte) 0x11);
        StandInDriver.copyDelay(0, 0);
        return stream;
    }

    @Test
    void writeWithoutBytesEndsWhenItsStreamHasComeThisFar() {
        connect(Where.STAGED, Where.HOST);
        CudaStream stream = left.context.createStream();
        StandInDriver.holdCopies();
        stream.fill(left.memory, SIZE - CHUNK, CHUNK, (byte) 0x11);
        Transfer write = left.write(0, 0, right.host.remoteMemory()).after(stream);
        left.channel.progress();
        assertThat(stream.isDone()).isFalse();
        assertThat(write.isEnded()).isFalse();
        StandInDriver.letCopiesGo();
        finish(write);
        assertDone(write);
        assertThat(stream.isDone()).isTrue();
    }

    @Test
    void transferThatCannotWaitForItsStreamDoesNotLeave() {
        connect(Where.STAGED, Where.HOST);
        CudaStream stream = busyStream(left);
        Transfer send = left.send(0, LENGTH);
        Transfer receive = right.receive(0, SIZE);
        StandInDriver.failAt("cuEventRecord", 1, INVALID_VALUE);
        assertThatThrownBy(() -> send.after(stream)).isInstanceOf(CudaException.class);
        finish(send, receive);
        assertFailed(send, "cuEventRecord");
        assertFailed(receive, "the peer's send failed before its message had begun");
        assertThat(right.bytes(0, LENGTH)).containsOnly(0);
    }

    @Test
    void transferWaitsForAllStreamsThatItComesAfter() {
        connect(Where.PEER_MEMORY, Where.HOST);
        CudaStream slow = left.context.createStream();
        CudaStream fast = left.context.createStream();
        StandInDriver.copyDelay(SLOW_MICROSECONDS, 0);
        slow.fill(left.memory, 0, LENGTH, (byte) 0x3c);
        StandInDriver.copyDelay(0, 0);
        Transfer send = left.send(0, LENGTH).after(slow).after(fast);
        Transfer receive = right.receive(0, SIZE);
        finish(send, receive);
        assertDone(send, receive);
        assertThat(right.bytes(0, LENGTH)).containsOnly(0x3c);
    }

    @Test
    void closingEndsThoughCompletionsCeaseWhileAStreamFollows() {
        connect(Where.STAGED, Where.HOST);
        CudaStream behind = left.context.createStream();
        Transfer done = left.write(0, CHUNK, right.host.remoteMemory());
        finish(done);
        posts.swallow();
        Transfer write = left.write(0, CHUNK, right.host.remoteMemory());
        write.follow(behind, PATIENCE);
        while (posts.swallowed() == 0) {
            left.channel.progress();
        }
        assertThat(behind.isDone()).isFalse();
        left.channel.close();
        assertFailed(write, "was closed");
        assertThat(behind.await(PATIENCE)).isTrue();
    }

    @Test
    void channelsOneAfterTheOtherUseTheSamePinnedMemory() {
        connect(Where.STAGED, Where.STAGED);
        finish(left.send(0, LENGTH), right.receive(0, SIZE));
        long pinned = StandInDriver.get("allocations.host");
        for (int i = 0; i < 3; i++) {
            left.channel.close();
            right.channel.close();
            GpuSide.connect(left, right);
            Transfer send = left.send(0, LENGTH);
            Transfer receive = right.receive(0, SIZE);
            finish(send, receive);
            assertDone(send, receive);
            assertThat(right.bytes(0, LENGTH)).isEqualTo(bytes);
        }
        assertThat(StandInDriver.get("allocations.host")).isEqualTo(pinned);
    }

    @Test
    void questionThatTheDriverRefusesIsNotTakenForTheEndOfACopy() {
        connect(Where.HOST, Where.STAGED);
        Transfer send = left.send(0, CHUNK);
        Transfer receive = right.receive(0, CHUNK);
        StandInDriver.copyDelay(SLOW_MICROSECONDS, 0);
        StandInDriver.failAt("cuEventQuery", 1, STREAM_CAPTURE_UNSUPPORTED);
        finish(send, receive);
        StandInDriver.copyDelay(0, 0);
        assertDone(send, receive);
        byte[] mine = new byte[CHUNK];
        right.fill(0, mine);
        // Nothing comes late.
        assertThat(right.bytes(0, CHUNK)).isEqualTo(mine);
        assertThat(right.bytes(0, CHUNK)).isEqualTo(mine);
    }

    @Test
    void workBehindAFailedWriteDoesNotConfirmIt() {
        connect(Where.STAGED, Where.HOST);
        RemoteMemory far = right.host.remoteMemory();
        StandInDriver.failAt("cuMemcpyDtoHAsync", 4, INVALID_VALUE);
        Transfer write = left.write(0, LENGTH, far);
        Transfer flag = left.write(0, 1, far.slice(SIZE - 1, 1));
        Transfer send = left.send(0, 8);
        Transfer receive = right.receive(SIZE - 16, 8);
        finish(write, flag, send, receive);
        assertFailed(write, "CUDA_ERROR_INVALID_VALUE");
        assertFailed(flag, "an earlier write failed");
        assertFailed(send, "an earlier write failed");
        assertFailed(receive, "the peer's send failed before its message had begun");
        assertThat(right.bytes(SIZE - 16, 16)).containsOnly(0);
        Transfer again = left.send(0, 8);
        Transfer next = right.receive(SIZE - 16, 8);
        finish(again, next);
        assertDone(again, next);
    }

    @Test
    void receiveThatFailsTakesItsMessageWithIt() {
        connect(Where.HOST, Where.STAGED);
        CudaStream stream = busyStream(right);
        Transfer[] sends = {left.send(0, 10), left.send(10, 10), left.send(20, 10)};
        Transfer first = right.receive(0, 10);
        Transfer second = right.receive(10, 10);
        StandInDriver.failAt("cuEventRecord", 1, INVALID_VALUE);
        assertThatThrownBy(() -> second.after(stream)).isInstanceOf(CudaException.class);
        Transfer third = right.receive(20, 10);
        finish(sends);
        finish(first, second, third);
        assertDone(sends[0], first, sends[2], third);
        assertFailed(second, "cuEventRecord");
        assertFailed(sends[1], "the peer's receive for the message failed");
        assertThat(right.bytes(10, 10)).containsOnly(0);
        assertThat(right.bytes(20, 10)).isEqualTo(Arrays.copyOfRange(bytes, 20, 30));
    }

    @Test
    void wordsForStreamsArePinnedOncePerContext() {
        connect(Where.PEER_MEMORY, Where.HOST);
        CudaStream behind = left.context.createStream();
        Transfer receive = left.receive(0, 8);
        receive.follow(behind, PATIENCE);
        long pinned = StandInDriver.get("allocations.host");
        PreparedChannel prepared = GpuDirect.on(left.domain, left.context).prepareChannel();
        DeviceChannel second = prepared.connect(left.gpu.prepareChannel().endpoint());
        Transfer other = second.receive(
                left.domain.allocateMemory(8, AccessFlag.LOCAL_WRITE).slice());
        CudaStream alsoBehind = left.context.createStream();
        other.follow(alsoBehind, PATIENCE);
        assertThat(StandInDriver.get("allocations.host")).isEqualTo(pinned);
        second.close();
        assertThat(alsoBehind.await(PATIENCE)).isTrue();
    }

    /** SoftRoCE of Linux 6.1 sends 8 MiB at once. Linux 6.12 and many adapters send as much as the largest chunk. */
    @Test
    void chunkThatThePortCannotSendIsRefusedAtOnce() {
        left = new GpuSide(Where.STAGED, folder, config -> config.chunkSize(1 << 30));
        assumeTrue(left.device.port(1).maxMessageSize() < 1 << 30, "this device sends a chunk of 1 GiB at once");
        assertThatThrownBy(left.gpu::prepareChannel)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chunks of 1073741824 bytes, but port 1 of")
                .hasMessageContaining("set GpuDirectConfig.chunkSize to that or less");
    }

    @Test
    void eventThatCannotBeDestroyedDoesNotDisturbProgress() {
        connect(Where.STAGED, Where.HOST);
        CudaStream stream = left.context.createStream();
        Transfer write = left.write(0, LENGTH, right.host.remoteMemory()).after(stream);
        StandInDriver.failAt("cuEventDestroy", 1, INVALID_VALUE);
        finish(write);
        assertDone(write);
        assertThat(StandInDriver.calls("cuEventDestroy")).isEqualTo(1);
    }

    @AfterEach
    @Override
    void close() {
        StandInDriver.copyDelay(0, 0);
        super.close();
        arena.close();
        assertThat(StandInDriver.open()).isEmpty();
    }
}
