// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_context_ops;
import io.github.rdma4j.verbs.internal.NativeMemory;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a device that was opened for rings is used through, queue by queue. */
@Tag("device")
@ExtendWith(OverRings.class)
class RingsDeviceTest {
    private static final DataPathChoice RINGS = new DataPathChoice(DataPath.RINGS, "");
    private static final int MESSAGES = 5_000;
    /** Of the completion queue. */
    private static final int ROOM = 500;

    private static final int HANDLES = 50;
    /** Of {@link PostingPair}. */
    private static final int KEY = 0x11111111;

    private static void assertFunctions(DataPathChoice choice, String reason) {
        assertThat(choice.path()).isEqualTo(DataPath.FUNCTIONS);
        assertThat(choice.reason()).contains(reason);
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC", "UD"})
    void queuesHaveRings(QueuePairType type) {
        try (PostingPair pair = new PostingPair(type)) {
            assertThat(pair.device.dataPath()).isEqualTo(RINGS);
            assertThat(pair.queue.dataPath()).isEqualTo(RINGS);
            assertThat(pair.pair.sendPath()).isEqualTo(RINGS);
            assertThat(pair.pair.receivePath()).isEqualTo(RINGS);
            SharedReceiveQueue shared = pair.domain.createSharedReceiveQueue(config -> {});
            assertThat(shared.dataPath()).isEqualTo(RINGS);
            shared.resize(1000);
            assertThat(shared.postReceive(1, pair.buffer.slice(0, 8))).isZero();
        }
    }

    @Test
    void whatHasNoRingTakesFunctionsAndSaysWhy() {
        try (PostingPair extended = new PostingPair(QueuePairType.RC, SendOperation.SEND)) {
            assertFunctions(extended.pair.sendPath(), "ibv_wr_start");
            assertThat(extended.pair.receivePath()).isEqualTo(RINGS);
            ExtendedCompletionQueue inPlace = extended.device.createExtendedCompletionQueue(16, config -> {});
            assertFunctions(inPlace.dataPath(), "in place");
        }
    }

    /** The library's memory for a handle is often that of the last one destroyed; its number is another one. */
    @Test
    void aHandleLeadsThereWhateverWasAtItsAddressBefore() {
        try (PostingPair pair = new PostingPair(QueuePairType.UD)) {
            AddressHandleAttributes way = pair.toPeer.addressHandle().attributes();
            Set<Long> addresses = new HashSet<>();
            for (int i = 0; i < HANDLES; i++) {
                try (AddressHandle handle = pair.domain.createAddressHandle(way)) {
                    addresses.add(handle.handle());
                    Destination destination = Destination.of(handle, pair.peer.number(), KEY);
                    for (int j = 0; j < 3; j++) {
                        pair.buffer.segment().set(ValueLayout.JAVA_INT, 0, 3 * i + j);
                        pair.peer.postReceive(j, pair.peerBuffer.slice(0, 64));
                        MemorySlice message = pair.buffer.slice(0, 4);
                        assertThat(pair.pair.postSend(j, message, destination, SendFlags.SIGNALED))
                                .isZero();
                        assertThat(pair.await().isSuccess()).isTrue();
                        assertThat(pair.awaitPeer().isSuccess()).isTrue();
                        assertThat(pair.peerBuffer.segment().get(ValueLayout.JAVA_INT, pair.headerLength()))
                                .isEqualTo(3 * i + j);
                    }
                }
            }
            assertThat(addresses).hasSizeLessThan(HANDLES);
            assertThat(pair.pair.sendPath()).isEqualTo(RINGS);
        }
    }

    @Test
    void functionsThatSomebodyHasPutThereAreNotPassedBy() {
        try (DeviceContext device = TestDevice.open()) {
            MemorySegment operations = ibv_context.ops(device.segment());
            long offset = ibv_context_ops.post_srq_recv$offset();
            long own = operations.get(ValueLayout.JAVA_LONG, offset);
            NativeMemory.setPointer(
                    operations, offset, Linker.nativeLinker().defaultLookup().findOrThrow("abs"));
            DataPathChoice choice = device.createCompletionQueue(16).dataPath();
            operations.set(ValueLayout.JAVA_LONG, offset, own);
            assertFunctions(choice, "not all functions of the device are of librxe");
            assertThat(device.createCompletionQueue(16).dataPath()).isEqualTo(RINGS);
        }
    }

    @Test
    void whoAsksForFunctionsGetsThem() {
        try (DeviceContext device = DeviceContext.open(TestDevice.name(), DataPath.FUNCTIONS)) {
            DataPathChoice choice = device.createCompletionQueue(16).dataPath();
            assertThat(choice).isEqualTo(new DataPathChoice(DataPath.FUNCTIONS, ""));
        }
    }

    @Test
    void threadsThatPollAtOnceFindEachCompletionOnce() throws InterruptedException {
        try (PostingPair pair = new PostingPair(QueuePairType.RC)) {
            BitSet found = new BitSet();
            AtomicInteger count = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                threads.add(Thread.ofPlatform().start(() -> poll(pair.queue, found, count)));
            }
            for (int i = 0; i < MESSAGES; i++) {
                RemoteMemory there = pair.peerBuffer.remoteMemory().slice(0, 8);
                while (i - count.get() > ROOM
                        || pair.pair.postWrite(i, pair.buffer.slice(0, 8), there, SendFlags.SIGNALED) != 0) {
                    Thread.yield();
                }
            }
            for (Thread thread : threads) {
                assertThat(thread.join(Duration.ofSeconds(60))).isTrue();
            }
            assertThat(count).hasValue(MESSAGES);
            assertThat(found.cardinality()).isEqualTo(MESSAGES);
        }
    }

    private static void poll(CompletionQueue queue, BitSet found, AtomicInteger count) {
        WorkCompletions completions = WorkCompletions.allocate(4);
        long deadline = System.nanoTime() + Duration.ofMinutes(5).toNanos();
        while (count.get() < MESSAGES && System.nanoTime() < deadline) {
            int polled = queue.poll(completions);
            if (polled == 0) {
                Thread.yield();
            }
            for (int i = 0; i < polled; i++) {
                synchronized (found) {
                    found.set((int) completions.get(i).workRequestId());
                }
                count.incrementAndGet();
            }
        }
    }
}
