// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.gpudirect.GpuSide.Where;
import io.github.rdma4j.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Transfers between two channels of this process, over the verbs device, with memory of a GPU and of the host. */
abstract class DeviceChannelBehaviour {
    static final int CHUNK = 4096;

    static final int SIZE = 64 * CHUNK;

    static final int[] LENGTHS = {0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 3};

    static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    final Random random = new Random(5);

    GpuSide left;

    GpuSide right;

    void connect(Where mine, Where theirs) {
        left = new GpuSide(mine, folder, config -> config.chunkSize(CHUNK)).allocate(SIZE);
        right = new GpuSide(theirs, folder, config -> config.chunkSize(CHUNK)).allocate(SIZE);
        GpuSide.connect(left, right);
    }

    @AfterEach
    void close() {
        for (GpuSide side : new GpuSide[] {left, right}) {
            if (side != null) {
                side.close();
            }
        }
    }

    /** Copies take so long at least, where that can be chosen. */
    void slowCopies(int microseconds) {}

    byte[] someBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Both sides go on, as two programs would. */
    void finish(Transfer... transfers) {
        GpuSide.finish(left, right, transfers);
    }

    void finishWell(Transfer... transfers) {
        finish(transfers);
        for (Transfer transfer : transfers) {
            assertThat(transfer.failure()).as(transfer.toString()).isEmpty();
            assertThat(transfer.state()).isEqualTo(Transfer.State.DONE);
            assertThat(transfer.bytesDone()).isEqualTo(transfer.length());
        }
    }

    static Stream<Arguments> places() {
        return Stream.of(Where.values())
                .flatMap(mine -> Stream.of(Where.values()).map(theirs -> Arguments.of(mine, theirs)));
    }

    @ParameterizedTest
    @MethodSource("places")
    void allFourOperationsBringEveryByte(Where mine, Where theirs) {
        connect(mine, theirs);
        // If the other side is staged, a one-sided operation names host memory.
        MemoryRegion far = right.domain.allocateMemory(SIZE, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        for (int length : LENGTHS) {
            byte[] sent = someBytes(length);
            left.fill(13, sent);
            finishWell(left.send(13, length), right.receive(7, SIZE - 7));
            assertThat(right.bytes(7, length)).as("send of %d", length).isEqualTo(sent);

            finishWell(left.write(13, length, far.remoteMemory().slice(100, length)));
            assertThat(far.segment().asSlice(100, length).toArray(ValueLayout.JAVA_BYTE))
                    .as("write of %d", length)
                    .isEqualTo(sent);

            byte[] other = someBytes(length);
            MemorySegment.copy(other, 0, far.segment(), ValueLayout.JAVA_BYTE, 200, length);
            finishWell(left.read(5, length, far.remoteMemory().slice(200, length)));
            assertThat(left.bytes(5, length)).as("read of %d", length).isEqualTo(other);

            byte[] back = someBytes(length);
            right.fill(9, back);
            finishWell(left.receive(3, length), right.send(9, length));
            assertThat(left.bytes(3, length)).as("receive of %d", length).isEqualTo(back);
        }
        assertThat(left.channel.failure()).isEmpty();
        assertThat(right.channel.failure()).isEmpty();
    }

    @Test
    void directPeersMemoryIsWrittenAndReadItself() {
        connect(Where.STAGED, Where.PEER_MEMORY);
        byte[] bytes = someBytes(3 * CHUNK + 1);
        left.fill(0, bytes);
        finishWell(left.write(0, bytes.length, right.region.remoteMemory()));
        assertThat(right.bytes(0, bytes.length)).isEqualTo(bytes);
        finishWell(left.read(CHUNK * 8, bytes.length, right.region.remoteMemory()));
        assertThat(left.bytes(CHUNK * 8, bytes.length)).isEqualTo(bytes);
    }

    @Test
    void manyMessagesKeepTheirOrderWhileCopiesAreSlow() {
        connect(Where.STAGED, Where.STAGED);
        int count = 40;
        int length = CHUNK + 11;
        List<Transfer> transfers = new ArrayList<>();
        byte[][] sent = new byte[count][];
        for (int i = 0; i < count; i++) {
            sent[i] = someBytes(i % 3 == 0 ? 5 : length);
            left.fill((long) i * (length + 1), sent[i]);
        }
        slowCopies(300);
        for (int i = 0; i < count; i++) {
            transfers.add(left.send((long) i * (length + 1), sent[i].length));
            transfers.add(right.receive((long) i * (length + 1), length));
        }
        finishWell(transfers.toArray(Transfer[]::new));
        slowCopies(0);
        for (int i = 0; i < count; i++) {
            assertThat(right.bytes((long) i * (length + 1), sent[i].length)).isEqualTo(sent[i]);
        }
    }

    @Test
    void writeThatCameFirstIsThereWhenTheMessageBehindItIs() {
        connect(Where.STAGED, Where.HOST);
        byte[] data = someBytes(9 * CHUNK);
        left.fill(0, data);
        MemoryRegion flag = left.domain.allocateMemory(8, LOCAL_WRITE);
        slowCopies(500);
        Transfer write = left.write(0, data.length, right.host.remoteMemory());
        Transfer send = left.channel.send(flag.slice());
        Transfer receive = right.receive(SIZE - 8, 8);
        finish(receive);
        assertThat(right.bytes(0, data.length)).isEqualTo(data);
        finishWell(write, send, receive);
    }

    @Test
    @Tag("waits-for-host")
    void streamFollowsATransferAndATransferAStream() {
        connect(Where.STAGED, Where.PEER_MEMORY);
        CudaStream before = left.context.createStream();
        CudaStream behind = right.context.createStream();
        slowCopies(20_000);
        // The fill takes 20 ms; the send must carry what it wrote.
        before.fill(left.memory, 0, 2 * CHUNK, (byte) 0x3c);
        Transfer send = left.send(0, 2 * CHUNK).after(before);
        Transfer receive = right.receive(0, 2 * CHUNK);
        receive.follow(behind, PATIENCE);
        behind.copyOnDevice(right.memory, 8 * CHUNK, right.memory, 0, 2 * CHUNK);
        left.channel.progress();
        assertThat(behind.isDone()).isFalse();
        finishWell(send, receive);
        assertThat(behind.await(PATIENCE)).isTrue();
        slowCopies(0);
        assertThat(right.bytes(8 * CHUNK, 2 * CHUNK)).containsOnly(0x3c);
        // At its end already: the stream need not wait.
        receive.follow(behind, Duration.ZERO);
        assertThat(behind.isDone()).isTrue();
        assertThatThrownBy(() -> receive.after(before)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Tag("waits-for-host")
    void streamFollowsAStagedTransferInEveryPhase() {
        connect(Where.PEER_MEMORY, Where.STAGED);
        byte[] sent = someBytes(6 * CHUNK);
        left.fill(0, sent);
        CudaStream behind = right.context.createStream();
        CudaStream later = right.context.createStream();
        slowCopies(5_000);
        Transfer send = left.send(0, sent.length);
        Transfer receive = right.receive(0, sent.length);
        receive.follow(behind, PATIENCE);
        behind.copyOnDevice(right.memory, 10 * CHUNK, right.memory, 0, sent.length);
        while (!send.isEnded()) {
            left.channel.progress();
            right.channel.progress();
        }
        receive.follow(later, PATIENCE);
        later.copyOnDevice(right.memory, 20 * CHUNK, right.memory, 0, sent.length);
        finishWell(send, receive);
        assertThat(behind.await(PATIENCE)).isTrue();
        assertThat(later.await(PATIENCE)).isTrue();
        slowCopies(0);
        assertThat(right.bytes(10 * CHUNK, sent.length)).isEqualTo(sent);
        assertThat(right.bytes(20 * CHUNK, sent.length)).isEqualTo(sent);
    }

    @Test
    void smallerChunkOfBothIsUsed() {
        left = new GpuSide(
                        Where.STAGED,
                        folder,
                        config -> config.chunkSize(3 * CHUNK).slots(2))
                .allocate(SIZE);
        right = new GpuSide(
                        Where.STAGED, folder, config -> config.chunkSize(CHUNK).slots(3))
                .allocate(SIZE);
        GpuSide.connect(left, right);
        byte[] sent = someBytes(20 * CHUNK + 1);
        left.fill(0, sent);
        finishWell(left.send(0, sent.length), right.receive(0, SIZE));
        assertThat(right.bytes(0, sent.length)).isEqualTo(sent);
        right.fill(0, sent);
        finishWell(right.send(0, sent.length), left.receive(0, SIZE));
        assertThat(left.bytes(0, sent.length)).isEqualTo(sent);
    }

    @Test
    void bothWaysAtOnce() {
        connect(Where.STAGED, Where.STAGED);
        byte[] there = someBytes(20 * CHUNK);
        byte[] back = someBytes(20 * CHUNK);
        left.fill(0, there);
        right.fill(0, back);
        List<Transfer> transfers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            transfers.add(left.send((long) i * CHUNK, CHUNK));
            transfers.add(right.send((long) i * CHUNK, CHUNK));
            transfers.add(left.receive((long) (30 + i) * CHUNK, CHUNK));
            transfers.add(right.receive((long) (30 + i) * CHUNK, CHUNK));
        }
        finishWell(transfers.toArray(Transfer[]::new));
        assertThat(right.bytes(30 * CHUNK, 20 * CHUNK)).isEqualTo(there);
        assertThat(left.bytes(30 * CHUNK, 20 * CHUNK)).isEqualTo(back);
    }
}
