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
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a device that was opened for rings is used through, queue by queue. */
@Tag("device")
@ExtendWith(OverRings.class)
class RingsDeviceTest {
    private static final DataPathChoice RINGS = new DataPathChoice(DataPath.RINGS, "");
    private static final int MESSAGES = 5_000;
    /** Of the completion queue. */
    private static final int ROOM = 500;

    private static void assertFunctions(DataPathChoice choice, String reason) {
        assertThat(choice.path()).isEqualTo(DataPath.FUNCTIONS);
        assertThat(choice.reason()).contains(reason);
    }

    @Test
    void queuesOfConnectionsHaveRings() {
        try (PostingPair pair = new PostingPair(QueuePairType.RC)) {
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
        try (PostingPair datagrams = new PostingPair(QueuePairType.UD);
                PostingPair extended = new PostingPair(QueuePairType.RC, SendOperation.SEND)) {
            assertFunctions(datagrams.pair.sendPath(), "address handle");
            assertThat(datagrams.pair.receivePath()).isEqualTo(RINGS);
            assertFunctions(extended.pair.sendPath(), "ibv_wr_start");
            assertThat(extended.pair.receivePath()).isEqualTo(RINGS);
            ExtendedCompletionQueue inPlace = extended.device.createExtendedCompletionQueue(16, config -> {});
            assertFunctions(inPlace.dataPath(), "in place");
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
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
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
