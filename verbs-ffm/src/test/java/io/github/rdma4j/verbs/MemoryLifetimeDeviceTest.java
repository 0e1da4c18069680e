// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.internal.BlockedWrite;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Registered memory is not freed while the adapter or another thread uses it, and each step of a close runs once. */
@Tag("device")
@Tag("parallel")
class MemoryLifetimeDeviceTest {
    private static final int SIZE = 4096;
    private static final int MORE_THAN_A_PIPE_HOLDS = 1 << 20;

    private ConnectedPair pair;

    @BeforeEach
    void open() {
        pair = new ConnectedPair(SIZE);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void regionWhoseMemoryAnotherThreadUsesIsDeregisteredOnceAndFreedByALaterClose(boolean throughTheDomain)
            throws Exception {
        ProtectionDomain domain = pair.device.allocateProtectionDomain();
        MemoryRegion region = domain.allocateMemory(MORE_THAN_A_PIPE_HOLDS, LOCAL_WRITE);
        MemorySegment memory = region.segment();
        Resource closed = throughTheDomain ? domain : region;
        BlockedWrite write = new BlockedWrite(memory);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(closed::close)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("a native call of another thread")
                    .hasMessageContaining("close it again when that call has returned");
            assertThat(region.isOpen()).as("the adapter has lost the memory").isFalse();
            assertThat(memory.scope().isAlive()).as("the other thread has not").isTrue();
        }
        assertThatThrownBy(region::handle).isInstanceOf(IllegalStateException.class);
        write.end();
        closed.close();
        assertThat(memory.scope().isAlive()).isFalse();
        domain.close();
        assertThat(domain.isOpen()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closingTheArenaOfRegisteredMemoryClosesTheRegionFirst(boolean confined) {
        Arena arena = confined ? Arena.ofConfined() : Arena.ofShared();
        MemorySegment memory = arena.allocate(SIZE, 4096);
        MemoryRegion region = pair.domain.registerMemory(memory, LOCAL_WRITE, REMOTE_WRITE);
        MemorySlice slice = region.slice();
        RemoteMemory remote = region.remoteMemory();
        arena.close();
        assertThat(region.isOpen()).isFalse();
        List<BooleanSupplier> uses = List.of(
                () -> pair.pair.tryPostSend(1, slice, SIGNALED),
                () -> pair.pair.tryPostReceive(2, slice),
                () -> pair.pair.tryPostWrite(3, slice, pair.peerBuffer.remoteMemory(), SIGNALED),
                () -> {
                    SendBatch batch = pair.pair.startBatch();
                    batch.send(4, slice, SIGNALED);
                    return batch.tryPost();
                });
        for (BooleanSupplier use : uses) {
            assertThatThrownBy(use::getAsBoolean)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is closed, as is the arena of its memory");
        }
        // A peer that still has the key is refused by the adapter.
        assertThat(pair.peer.tryPostWrite(5, pair.peerBuffer.slice(), remote, SIGNALED))
                .isTrue();
        assertThat(pair.awaitPeer().status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void receiveIntoAnArenaThatIsClosedFailsAndWritesNothing() {
        Arena arena = Arena.ofShared();
        MemoryRegion region = pair.domain.registerMemory(arena.allocate(SIZE), LOCAL_WRITE);
        assertThat(pair.pair.tryPostReceive(1, region.slice())).isTrue();
        arena.close();
        assertThat(pair.peer.tryPostSend(2, pair.peerBuffer.slice(), SIGNALED)).isTrue();
        assertThat(pair.await().isSuccess()).isFalse();
    }

    /** Holds the JDK to an order that it does not promise: the youngest action first. */
    @Test
    void regionIsClosedBeforeTheMemoryOfASharedArenaIsFreed() {
        Arena arena = Arena.ofShared();
        Arena backing = Arena.ofShared();
        List<MemoryRegion> regions = new ArrayList<>();
        List<Boolean> openWhenFreed = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            MemorySegment memory = backing.allocate(SIZE)
                    .reinterpret(
                            arena,
                            freed -> openWhenFreed.add(regions.get(number).isOpen()));
            regions.add(pair.domain.registerMemory(memory, LOCAL_WRITE));
        }
        arena.close();
        assertThat(openWhenFreed).containsExactly(false, false, false);
        backing.close();
    }

    @Test
    void registeringTheSameMemoryAgainAndAgainLeavesNothingInItsArena() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(16 * SIZE);
            for (int i = 0; i < 100; i++) {
                pair.domain.registerMemory(memory, LOCAL_WRITE).close();
                pair.domain.registerMemory(memory.asSlice(i * 64, 1000)).close();
            }
            assertThat(pair.device.watchArenaOf(memory).actions()).isEqualTo(1);
            // Parts that come one after another are one range in the end.
            MemorySegment other = arena.allocate(4 * SIZE);
            for (int i : new int[] {2, 0, 1, 3}) {
                pair.domain.registerMemory(other.asSlice((long) i * SIZE, SIZE)).close();
            }
            pair.domain.registerMemory(other).close();
            assertThat(pair.device.watchArenaOf(memory).actions()).isEqualTo(5);
        }
    }

    @Test
    void memoryOfAnArenaThatIsConfinedToAnotherThreadIsRefused() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(SIZE);
            List<Throwable> thrown = new ArrayList<>();
            Thread other = Thread.ofPlatform().start(() -> {
                try {
                    pair.domain.registerMemory(memory, LOCAL_WRITE);
                } catch (Throwable e) {
                    thrown.add(e);
                }
            });
            assertThat(other.join(Duration.ofSeconds(60))).isTrue();
            assertThat(thrown)
                    .singleElement()
                    .satisfies(e -> assertThat(e)
                            .isInstanceOf(WrongThreadException.class)
                            .hasMessageContaining("register the memory in that thread"));
        }
    }

    @Test
    void arenaThatIsClosedBesideRegistrationsLeavesNoRegionOpen() throws Exception {
        for (int round = 0; round < 30; round++) {
            Arena arena = Arena.ofShared();
            MemorySegment memory = arena.allocate(SIZE);
            List<MemoryRegion> regions = new ArrayList<>();
            Thread registering = Thread.ofPlatform().start(() -> {
                try {
                    while (true) {
                        regions.add(pair.domain.registerMemory(memory, LOCAL_WRITE));
                    }
                } catch (IllegalStateException closed) {
                    // The arena is.
                }
            });
            while (pair.domain.childCount() < 5 + round % 7) {
                Thread.onSpinWait();
            }
            arena.close();
            assertThat(registering.join(Duration.ofSeconds(60))).isTrue();
            assertThat(regions).isNotEmpty().noneMatch(MemoryRegion::isOpen);
        }
        assertThat(pair.domain.childCount()).isEqualTo(4);
    }

    @Test
    void automaticArenaLivesAsLongAsTheRegion() {
        MemoryRegion region = pair.domain.registerMemory(Arena.ofAuto().allocate(SIZE), LOCAL_WRITE, REMOTE_WRITE);
        System.gc();
        assertThat(pair.peer.tryPostWrite(1, pair.peerBuffer.slice(), region.remoteMemory(), SIGNALED))
                .isTrue();
        assertThat(pair.awaitPeer().isSuccess()).isTrue();
        assertThat(region.segment().get(ValueLayout.JAVA_BYTE, 0))
                .isEqualTo(pair.peerBuffer.segment().get(ValueLayout.JAVA_BYTE, 0));
    }
}
