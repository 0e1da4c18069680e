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
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests reads, writes and atomics on exposed memory, in each of their forms, and the results of mistakes. */
abstract class TransfersContract {
    /** Two endpoints that are connected; the right one is served. */
    abstract Ends pair(Consumer<EndpointConfig> both);

    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final long SIZE = 64 * 1024;

    final Ends pair = pair(config -> config.sendDepth(4));
    final ExposedMemory exposed = pair.right().expose(SIZE, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
    final MemoryHandle handle = MemoryHandle.fromBytes(exposed.handle().toBytes());
    final MemoryRegion local = pair.left().allocateMemory(SIZE);
    final Transfers transfers = pair.left().transfers();

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    @Tag("iwarp")
    void writeAndAReadWait() {
        local.segment().setString(100, "to the peer");
        transfers.write(local.slice(100, 12), handle.slice(5000, 12), PATIENCE);
        assertThat(exposed.segment().getString(5000)).isEqualTo("to the peer");
        exposed.segment().setString(7, "from the peer");
        transfers.read(local.slice(0, 14), handle.slice(7, 14), PATIENCE);
        assertThat(local.segment().getString(0)).isEqualTo("from the peer");
    }

    @Test
    @Tag("iwarp")
    void wordsAreReadAndWrittenWithoutMemoryOfTheProgram() {
        transfers.putLong(handle, 8, 0x0123_4567_89ab_cdefL, PATIENCE);
        assertThat(exposed.segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(0x0123_4567_89ab_cdefL);
        transfers.putInt(handle, 17, -5, PATIENCE);
        assertThat(exposed.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 17)).isEqualTo(-5);
        assertThat(exposed.segment().get(ValueLayout.JAVA_BYTE, 16)).isZero();
        assertThat(exposed.segment().get(ValueLayout.JAVA_BYTE, 21)).isZero();
        assertThat(transfers.getLong(handle, 8, PATIENCE)).isEqualTo(0x0123_4567_89ab_cdefL);
        assertThat(transfers.getInt(handle, 17, PATIENCE)).isEqualTo(-5);
        List<CompletableFuture<Void>> puts = new ArrayList<>();
        List<CompletableFuture<Long>> gets = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            puts.add(transfers.putLongAsync(handle, 64 + 8 * i, i));
        }
        puts.forEach(CompletableFuture::join);
        for (int i = 0; i < 20; i++) {
            gets.add(transfers.getLongAsync(handle, 64 + 8 * i));
        }
        for (int i = 0; i < 20; i++) {
            assertThat(gets.get(i).join()).isEqualTo(i);
        }
        assertThatThrownBy(() -> transfers.getLong(handle, SIZE - 7, PATIENCE))
                .isInstanceOf(IndexOutOfBoundsException.class);
        MemoryHandle readable = pair.right().expose(8, REMOTE_READ).handle();
        assertThatThrownBy(() -> transfers.putLong(readable, 0, 1, PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("REMOTE_WRITE");
    }

    @Test
    void atomicsReturnTheValueBefore() {
        exposed.segment().set(ValueLayout.JAVA_LONG, 16, 40);
        MemoryHandle counter = handle.slice(16, 8);
        assertThat(transfers.fetchAndAdd(counter, 2, PATIENCE)).isEqualTo(40);
        assertThat(transfers.compareAndSwap(counter, 42, -1, PATIENCE)).isEqualTo(42);
        assertThat(transfers.compareAndSwap(counter, 42, 7, PATIENCE)).isEqualTo(-1);
        assertThat(transfers.fetchAndAddAsync(counter, 1)).isNotNull();
        assertThat(transfers.fetchAndAdd(counter, 0, PATIENCE)).isZero();
        assertThat(exposed.segment().get(ValueLayout.JAVA_LONG, 16)).isZero();
    }

    @Test
    @Tag("iwarp")
    void shorterWriteLeavesTheRestAsItIs() {
        exposed.segment().fill((byte) 7);
        transfers.write(local.slice(0, 8), handle, PATIENCE);
        transfers.read(local.slice(8, 16), handle.slice(0, 16), PATIENCE);
        assertThat(local.segment().get(ValueLayout.JAVA_LONG, 8)).isZero();
        assertThat(local.segment().get(ValueLayout.JAVA_LONG, 16)).isEqualTo(0x0707_0707_0707_0707L);
    }

    @Test
    void futuresWaitTheirTurnWhenTheSendQueueIsFull() {
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            futures.add(transfers.fetchAndAddAsync(handle.slice(0, 8), 1));
        }
        CompletableFuture<Void> read = transfers.readAsync(local.slice(0, 8), handle.slice(0, 8));
        while (!read.isDone()) {
            pair.left().poll(message -> {});
        }
        for (int i = 0; i < 20; i++) {
            assertThat(futures.get(i)).isCompletedWithValue((long) i);
        }
        assertThat(local.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(20);
    }

    @Test
    void transfersWithAnIdArePolledForAndKeepTheirPlaceUntilThen() {
        for (int i = 0; i < 3; i++) {
            local.segment().set(ValueLayout.JAVA_LONG, i * 8L, i + 1);
            assertThat(transfers.tryWrite(10 + i, local.slice(i * 8L, 8), handle.slice(i * 8L, 8)))
                    .isEqualTo(Endpoint.OK);
        }
        assertThat(transfers.tryFetchAndAdd(13, handle.slice(0, 8), 5)).isEqualTo(Endpoint.OK);
        assertThat(transfers.tryRead(99, local.slice(0, 8), handle.slice(0, 8))).isEqualTo(Endpoint.QUEUE_FULL);
        List<String> done = new ArrayList<>();
        TransferHandler handler = (id, original, failure) -> done.add(id + ":" + original + ":" + failure);
        while (done.size() < 4) {
            assertThat(transfers.awaitTransfers(handler, PATIENCE)).isPositive();
        }
        assertThat(done).containsExactly("10:0:null", "11:0:null", "12:0:null", "13:1:null");
        assertThat(transfers.tryCompareAndSwap(14, handle.slice(0, 8), 6, 9)).isEqualTo(Endpoint.OK);
        while (transfers.pollTransfers(handler) == 0) {
            Thread.onSpinWait();
        }
        assertThat(done.getLast()).isEqualTo("14:6:null");
        assertThat(transfers.pollTransfers(handler)).isZero();
        assertThat(transfers.awaitTransfers(handler, Duration.ofMillis(20))).isZero();
    }

    @Test
    @Tag("iwarp")
    void invalidRangeThrowsAndHarmsNothing() {
        ExposedMemory readOnly = pair.right().expose(64, REMOTE_READ);
        assertThatThrownBy(() -> transfers.write(local.slice(0, 8), readOnly.handle(), PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a write needs REMOTE_WRITE, and this handle grants [REMOTE_READ]");
        assertThatThrownBy(() -> transfers.fetchAndAddAsync(readOnly.handle(), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("REMOTE_ATOMIC");
        assertThatThrownBy(() -> transfers.tryRead(1, local.slice(0, 65), readOnly.handle()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65 bytes do not fit");
        for (Callable<?> read : List.<Callable<?>>of(
                () -> transfers.tryRead(1, local.slice(0, 32), readOnly.handle()),
                () -> transfers.readAsync(local.slice(0, 32), readOnly.handle()),
                Executors.callable(() -> transfers.read(local.slice(0, 32), readOnly.handle(), PATIENCE)))) {
            assertThatThrownBy(read::call)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a read of 64 bytes into 32")
                    .hasMessageContaining("MemoryHandle.slice");
        }
        assertThatThrownBy(() -> transfers.fetchAndAdd(handle.slice(4, 8), 1, PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("multiple of 8");
        assertThatThrownBy(() -> pair.right().expose(64)).hasMessageContaining("without any right");
        assertThatThrownBy(() -> pair.right().expose(64, LOCAL_WRITE))
                .hasMessageContaining("the rights of a peer are of");
        transfers.read(local.slice(0, 64), readOnly.handle(), PATIENCE);
        assertThat(pair.left().isOpen()).isTrue();
    }

    @Test
    void forgedRightFailsWithAnExplanationAndEndsTheConnection() {
        ExposedMemory readOnly = pair.right().expose(64, REMOTE_READ);
        MemoryHandle forged = new MemoryHandle(readOnly.handle().memory(), Set.of(REMOTE_WRITE));
        assertThatThrownBy(() -> transfers.write(local.slice(0, 8), forged, PATIENCE))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR))
                .hasMessageContaining("remote access error")
                .hasMessageContaining("lack the remote right")
                .hasMessageContaining("between endpoints, use a handle only while");
        assertThatThrownBy(() -> pair.left().receive(PATIENCE))
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("remote access error")
                .hasCauseInstanceOf(TransferException.class);
        assertThatThrownBy(() -> transfers.tryRead(1, local.slice(0, 8), handle.slice(0, 8)))
                .isInstanceOf(ConnectionLostException.class);
        assertThatThrownBy(() -> transfers
                        .readAsync(local.slice(0, 8), handle.slice(0, 8))
                        .join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(ConnectionLostException.class);
    }

    @Test
    void wrongKeyCompletesTheFutureExceptionally() {
        RemoteMemory right = handle.memory();
        MemoryHandle wrong =
                new MemoryHandle(new RemoteMemory(right.address(), 8, right.remoteKey() ^ 0x5555), Set.of(REMOTE_READ));
        CompletableFuture<Void> failing = transfers.readAsync(local.slice(0, 8), wrong);
        CompletableFuture<Void> behind = transfers.readAsync(local.slice(0, 8), handle.slice(0, 8));
        pair.left().progressLoop();
        assertThatThrownBy(failing::join)
                .hasCauseInstanceOf(TransferException.class)
                .hasMessageContaining("remote key");
        assertThatThrownBy(behind::join).hasCauseInstanceOf(ConnectionLostException.class);
    }

    @Test
    @Tag("iwarp")
    void messageOfAHandlerDoesNotOvertakeAnEarlierWrite() {
        local.segment().set(ValueLayout.JAVA_LONG, 0, 1234);
        for (int i = 0; i < 4; i++) {
            assertThat(transfers.tryRead(i, local.slice(64, 8), handle.slice(8, 8)))
                    .isEqualTo(Endpoint.OK);
        }
        CompletableFuture<Void> earlier = transfers.writeAsync(local.slice(0, 8), handle.slice(0, 8));
        List<Long> seen = new ArrayList<>();
        while (seen.isEmpty()) {
            transfers.pollTransfers((id, original, failure) -> {
                if (pair.left().trySend(MemorySegment.ofArray(new byte[] {1})) == Endpoint.OK) {
                    assertThat(pair.right().receive(PATIENCE)).isPresent();
                    seen.add(exposed.segment().get(ValueLayout.JAVA_LONG, 0));
                }
            });
        }
        assertThat(seen).isNotEmpty().allMatch(value -> value == 1234);
        earlier.join();
    }
}
