// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.GpuSide.Where;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same on the stand-in's GPU, and failures of its driver and of an adapter's. */
@Tag("device")
@ExtendWith(StandInDriver.class)
class ChannelFailureDeviceTest extends ChannelFailureBehaviour {
    private static final int ILLEGAL_ADDRESS = 700;
    private static final int INVALID_VALUE = 1;

    private final Arena arena = Arena.ofShared();
    private FailingPosts posts;

    @Override
    void beforeConnecting() {
        posts = new FailingPosts(left.device, arena);
    }

    @ParameterizedTest
    @EnumSource
    void copyFromTheDeviceThatFailsEndsItsMessageOnBothSides(Where theirs) {
        connect(Where.STAGED, theirs);
        StandInDriver.failAt("cuMemcpyDtoHAsync", 4, INVALID_VALUE);
        Transfer send = left.send(0, LENGTH);
        Transfer receive = right.receive(0, SIZE);
        finish(send, receive);
        assertFailed(send, 3 * CHUNK, "CUDA_ERROR_INVALID_VALUE");
        assertFailed(receive, 3 * CHUNK, "the peer's send failed after its message had begun");
        assertThatThrownBy(() -> send.await(PATIENCE))
                .isInstanceOf(GpuTransferException.class)
                .hasMessageContaining("failed after " + 3 * CHUNK + " bytes")
                .hasMessageContaining("cuMemcpyDtoHAsync");
        assertGoesOn();
    }

    @Test
    void copyFromTheDeviceThatFailsEndsItsWrite() {
        connect(Where.STAGED, Where.HOST);
        StandInDriver.failAt("cuMemcpyDtoHAsync", 6, INVALID_VALUE);
        Transfer write = left.write(0, LENGTH, right.host.remoteMemory());
        finish(write);
        assertFailed(write, 5 * CHUNK, "CUDA_ERROR_INVALID_VALUE");
        assertGoesOn();
    }

    /** A completion is fetched once: if an error loses it, its transfer would stay under way for ever. */
    @ParameterizedTest
    @EnumSource
    @Timeout(60)
    void errorWhileCompletionsAreHandledEndsTheTransfers(Where ours) {
        connect(ours, Where.HOST);
        Transfer write = left.write(0, LENGTH, right.host.remoteMemory());
        ChannelProtocol failing = new ChannelProtocol(null, 1) {
            @Override
            void completed(int index, GpuTransferException failure) {
                throw new OutOfMemoryError("injected");
            }
        };
        DeviceChannel channel = left.channel;
        channel.progress();
        assertThatThrownBy(() -> {
                    while (true) {
                        channel.wire().poll(failing);
                        channel.protocol().advance();
                    }
                })
                .hasMessage("injected");
        finish(write);
        assertThat(channel.failure().orElseThrow()).hasMessageContaining("injected");
        channel.close();
    }

    @Test
    void eventThatCannotBeRecordedIsAFailureToo() {
        connect(Where.STAGED, Where.HOST);
        StandInDriver.failAt("cuEventRecord", 2, INVALID_VALUE);
        Transfer write = left.write(0, LENGTH, right.host.remoteMemory());
        finish(write);
        assertFailed(write, CHUNK, "cuEventRecord");
        assertGoesOn();
    }

    @Test
    void copyToTheDeviceThatFailsEndsTheReceiveAndNotTheSend() {
        connect(Where.HOST, Where.STAGED);
        StandInDriver.failAt("cuMemcpyHtoDAsync", 3, INVALID_VALUE);
        Transfer send = left.send(0, LENGTH);
        Transfer receive = right.receive(0, SIZE);
        finish(send, receive);
        assertThat(send.failure()).isEmpty();
        assertFailed(receive, 2 * CHUNK, "CUDA_ERROR_INVALID_VALUE");
        assertGoesOn();
    }

    @Test
    void copyToTheDeviceThatFailsEndsTheRead() {
        connect(Where.STAGED, Where.HOST);
        StandInDriver.failAt("cuMemcpyHtoDAsync", 2, INVALID_VALUE);
        Transfer read = left.read(0, LENGTH, right.host.remoteMemory());
        finish(read);
        assertFailed(read, CHUNK, "CUDA_ERROR_INVALID_VALUE");
        left.fill(0, bytes);
        assertGoesOn();
    }

    @ParameterizedTest
    @EnumSource
    void postThatFailsEndsItsWriteOrRead(Where mine) {
        connect(mine, Where.HOST);
        posts.failAt(3);
        Transfer write = left.write(0, LENGTH, right.host.remoteMemory());
        finish(write);
        assertFailed(write, 2 * CHUNK, "EIO");
        posts.failAt(2);
        Transfer read = left.read(0, LENGTH, right.host.remoteMemory());
        finish(read);
        assertFailed(read, CHUNK, "EIO");
        left.fill(0, bytes);
        assertGoesOn();
    }

    @Test
    void postThatFailsWithinAMessageEndsTheChannel() {
        connect(Where.STAGED, Where.STAGED);
        posts.failAt(3);
        Transfer send = left.send(0, LENGTH);
        Transfer receive = right.receive(0, SIZE);
        finish(send);
        assertThat(send.failure().orElseThrow()).hasMessageContaining("EIO");
        assertThat(left.channel.failure().orElseThrow()).hasMessageContaining("EIO");
        assertThatThrownBy(() -> left.send(0, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot be used any more")
                .hasMessageContaining("EIO");
        assertThat(receive.isEnded()).isFalse();
        right.channel.close();
        assertFailed(receive, receive.bytesDone(), "was closed");
    }

    @Test
    void failureOnTheDeviceIsReportedAndCloseDoesNotHang() {
        connect(Where.STAGED, Where.HOST);
        StandInDriver.faultAt("cuMemcpyDtoHAsync", 2, ILLEGAL_ADDRESS);
        Transfer write = left.write(0, LENGTH, right.host.remoteMemory());
        finish(write);
        assertThat(write.failure().orElseThrow()).hasMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS");
        // The context is lost, and reports that once more.
        assertThatThrownBy(left::close).isInstanceOf(CudaException.class);
        left = null;
    }

    @AfterEach
    @Override
    void close() {
        super.close();
        arena.close();
        assertThat(StandInDriver.open()).isEmpty();
    }
}
