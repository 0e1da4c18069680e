// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link TransfersContract} over TCP, where a thread of the peer's serves them. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransfersTcpTest extends TransfersContract {
    @Override
    Ends pair(Consumer<EndpointConfig> both) {
        Ends pair = new TcpPair(both);
        Thread.ofVirtual().start(pair.right()::progressLoop);
        return pair;
    }

    /** Far more than the kernel's buffers take, both ways at the same time. */
    @Test
    void longTransfersBothWaysAtOnceArriveWhole() {
        int size = 24 << 20;
        MemoryRegion here = pair.left().allocateMemory(size);
        byte[] bytes = new byte[size];
        new Random(1).nextBytes(bytes);
        here.segment().copyFrom(MemorySegment.ofArray(bytes));
        Thread.ofVirtual().start(pair.left()::progressLoop);
        ExposedMemory there = pair.right().expose(size, REMOTE_READ, REMOTE_WRITE);
        ExposedMemory mine = pair.left().expose(size, REMOTE_READ, REMOTE_WRITE);
        MemoryRegion atPeer = pair.right().allocateMemory(size);
        CompletableFuture<Void> written = transfers.writeAsync(here.slice(), there.handle());
        CompletableFuture<Void> back = transfers.readAsync(mine.region().slice(), there.handle());
        CompletableFuture<Void> other = pair.right().transfers().readAsync(atPeer.slice(), mine.handle());
        written.join();
        back.join();
        other.join();
        assertThat(there.segment().mismatch(here.segment())).isEqualTo(-1);
        assertThat(mine.segment().mismatch(here.segment())).isEqualTo(-1);
    }

    /**
     * Each side posts more reads and atomic operations than the other serves at a time, between writes that exceed the
     * kernel's buffers. A side that stopped serving until its own requests were sent would wait for ever for a peer
     * that does the same.
     */
    @Test
    void twoSidesWithFullQueuesDoNotWaitForEachOther() {
        int asked = 400;
        int length = 24 << 20;
        try (TcpPair both = new TcpPair(config -> config.sendDepth(4 * asked))) {
            List<CompletableFuture<?>> all = new ArrayList<>();
            List<Runnable> steps = new ArrayList<>();
            for (Endpoint side : List.of(both.left, both.right)) {
                Endpoint peer = side == both.left ? both.right : both.left;
                MemoryHandle there = peer.expose(length, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC)
                        .handle();
                MemoryRegion here = side.allocateMemory(length);
                steps.add(() -> all.add(side.transfers().writeAsync(here.slice(), there)));
                steps.add(() -> {
                    for (int i = 0; i < asked; i++) {
                        all.add(side.transfers().readAsync(here.slice(0, 4096), there.slice(0, 4096)));
                        all.add(side.transfers().fetchAndAddAsync(there.slice(0, Long.BYTES), 1));
                    }
                    all.add(side.transfers().writeAsync(here.slice(), there));
                    all.add(side.sendAsync(new byte[64]));
                    all.add(side.receiveAsync());
                });
            }
            for (int i : new int[] {0, 2, 1, 3}) {
                steps.get(i).run();
            }
            Thread.ofVirtual().start(both.left::progressLoop);
            Thread.ofVirtual().start(both.right::progressLoop);
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
        }
    }

    @ParameterizedTest
    @CsvSource({"-8, 8", "65529, 8", "65536, 1", "0, 65537", "9223372036854775807, 8"})
    void rangeBeyondTheRegionIsRefused(long offset, long length) {
        RemoteMemory right = handle.memory();
        MemoryHandle wrong = new MemoryHandle(
                new RemoteMemory(right.address() + offset, length, right.remoteKey()), Set.of(REMOTE_READ));
        MemoryRegion room = pair.left().allocateMemory(length);
        assertThatThrownBy(() -> transfers.read(room.slice(), wrong, PATIENCE))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR));
        assertThatThrownBy(() -> pair.right().receive(PATIENCE))
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("asked for memory that it may not use");
    }

    @Test
    void memoryThatWasClosedIsRefused() {
        ExposedMemory gone = pair.right().expose(64, REMOTE_READ, REMOTE_WRITE);
        gone.close();
        assertThatThrownBy(() -> transfers.write(local.slice(0, 64), gone.handle(), PATIENCE))
                .isInstanceOf(TransferException.class);
    }

    /** The peer serves a read after its timeout, when the program uses the memory for something else. */
    @Test
    void lateAnswerIsNotWrittenIntoAClosedRegion() {
        try (Arena arena = Arena.ofShared();
                TcpPair alone = new TcpPair(config -> {})) {
            MemorySegment memory = arena.allocate(Long.BYTES, Long.BYTES);
            MemoryRegion region = MemoryRegion.withoutAdapter(memory, LOCAL_WRITE);
            ExposedMemory there = alone.right.expose(Long.BYTES, REMOTE_READ);
            assertThatThrownBy(() -> alone.left.transfers().read(region.slice(), there.handle(), Duration.ofMillis(50)))
                    .isInstanceOf(TransferTimeoutException.class);
            region.close();
            memory.fill((byte) 1);
            Thread.ofVirtual().start(alone.right::progressLoop);
            assertThatThrownBy(() -> alone.left.receive(PATIENCE))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("LOC_PROT_ERR");
            assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).containsOnly(1);
        }
    }

    /** A write that is longer than the kernel's buffers. */
    @Test
    void closedRegionIsNotSentToTheEnd() {
        int length = 1 << 26;
        try (Arena arena = Arena.ofShared();
                TcpPair alone = new TcpPair(config -> {})) {
            MemoryRegion region = MemoryRegion.withoutAdapter(arena.allocate(length), LOCAL_WRITE);
            ExposedMemory there = alone.right.expose(length, REMOTE_WRITE);
            CompletableFuture<Void> write = alone.left.transfers().writeAsync(region.slice(), there.handle());
            region.close();
            region.segment().fill((byte) 1);
            Thread.ofVirtual().start(alone.right::progressLoop);
            assertThatThrownBy(() -> alone.left.receive(PATIENCE))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("the memory of a transfer cannot be sent any more")
                    .hasMessageContaining(region + " is closed");
            assertThat(write).isCompletedExceptionally();
            assertThat(there.segment().get(ValueLayout.JAVA_BYTE, length - 1)).isZero();
        }
    }

    @Test
    void memoryOfTheProgramIsExposedWithoutAnAdapter() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64, 64);
            memory.setString(3, "of the program");
            MemoryRegion region = MemoryRegion.withoutAdapter(memory, LOCAL_WRITE, REMOTE_READ);
            assertThat(region.hasAdapter()).isFalse();
            assertThatThrownBy(region::protectionDomain)
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageStartingWith("the protection domain was requested of " + region);
            assertThatThrownBy(() -> pair.right().expose(region, REMOTE_WRITE))
                    .hasMessageContaining("cannot be exposed");
            ExposedMemory exposed = pair.right().expose(region, REMOTE_READ);
            transfers.read(local.slice(0, 64), exposed.handle(), PATIENCE);
            assertThat(local.segment().getString(3)).isEqualTo("of the program");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment confined = arena.allocate(8);
            assertThatThrownBy(() -> MemoryRegion.withoutAdapter(confined, LOCAL_WRITE))
                    .isInstanceOf(WrongThreadException.class);
        }
    }

    @Test
    void operationsThatNeedAnAdapterAreRefusedWithTheReason() {
        assertThatThrownBy(pair.left()::protectionDomain)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("over TCP has no adapter");
        assertThatThrownBy(local::protectionDomain).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(local::kernelHandle).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> local.reregister(config -> config.access(LOCAL_WRITE)))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void withoutAThreadOfThePeersATransferWaits() {
        try (TcpPair alone = new TcpPair(config -> {})) {
            ExposedMemory memory = alone.right.expose(8, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
            MemoryRegion room = alone.left.allocateMemory(8);
            Transfers waiting = alone.left.transfers();
            Duration shortly = Duration.ofMillis(50);
            for (ThrowingCallable transfer : List.<ThrowingCallable>of(
                    () -> waiting.read(room.slice(), memory.handle(), shortly),
                    () -> waiting.write(room.slice(), memory.handle(), shortly),
                    () -> waiting.fetchAndAdd(memory.handle(), 1, shortly),
                    () -> waiting.compareAndSwap(memory.handle(), 0, 1, shortly),
                    () -> waiting.getLong(memory.handle(), 0, shortly),
                    () -> waiting.putInt(memory.handle(), 0, 1, shortly))) {
                assertThatThrownBy(transfer)
                        .isInstanceOf(TransferTimeoutException.class)
                        .hasMessageContaining("no thread of the peer's program")
                        .hasMessageContaining("Endpoint.progressLoop");
            }
            CompletableFuture<Void> read = alone.left.transfers().readAsync(room.slice(), memory.handle());
            alone.right.poll(message -> {});
            read.join();
        }
    }
}
