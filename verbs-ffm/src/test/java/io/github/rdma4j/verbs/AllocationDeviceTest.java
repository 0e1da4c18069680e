// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The hot path allocates nothing once it is compiled: 20,000 operations, and 100,000 in {@code scripts/test --full}, by
 * the JVM's own count of this thread's bytes.
 */
@Tag("device")
@Tag("optimised")
class AllocationDeviceTest {
    private static final int OPERATIONS = Integer.getInteger("rdma4j.allocation.operations", 20_000);
    /** Enough for the second compiler, which is the one that proves that nothing escapes. */
    private static final int WARM_UP = 30_000;

    /** Takes minutes. A clock in the loop would itself be measured. */
    private static final long MAX_SPINS = 1L << 31;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void writingAndPollingAllocateNothing() {
        try (ConnectedPair pair = new ConnectedPair(4096, config -> config.maxInlineData(64))) {
            MemorySlice source = pair.buffer.slice(0, 8);
            RemoteMemory target = pair.peerBuffer.remoteMemory().slice(0, 8);
            assertNothingIsAllocated(count -> writes(pair, source, target, count));
        }
    }

    @Test
    void batchesAllocateNothing() {
        try (ConnectedPair pair = new ConnectedPair(4096)) {
            MemorySlice source = pair.buffer.slice(0, 8);
            RemoteMemory target = pair.peerBuffer.remoteMemory().slice(0, 8);
            assertNothingIsAllocated(count -> batches(pair, source, target, count));
        }
    }

    @Test
    void extendedPostingAllocatesNothing() {
        try (ConnectedPair pair =
                new ConnectedPair(4096, config -> config.maxInlineData(64).sendOperations(SendOperation.RDMA_WRITE))) {
            MemorySlice source = pair.buffer.slice(0, 8);
            RemoteMemory target = pair.peerBuffer.remoteMemory().slice(0, 8);
            assertNothingIsAllocated(count -> writes(pair, source, target, count));
            assertNothingIsAllocated(count -> batches(pair, source, target, count));
        }
    }

    @Test
    void preparedRequestsAllocateNothing() {
        for (SendOperation[] operations : new SendOperation[][] {{}, {SendOperation.RDMA_WRITE, SendOperation.SEND}}) {
            try (ConnectedPair pair =
                    new ConnectedPair(4096, config -> config.maxInlineData(64).sendOperations(operations))) {
                RemoteMemory target = pair.peerBuffer.remoteMemory();
                RequestPreparation prepare = pair.pair.prepare().length(8);
                PreparedRequest write = prepare.write(pair.buffer.slice(), target, SendFlags.SIGNALED);
                PreparedRequest inline =
                        prepare.write(pair.buffer.slice(), target, SendFlags.SIGNALED | SendFlags.INLINE);
                PreparedRequest send = prepare.send(pair.buffer.slice(), SendFlags.SIGNALED);
                PreparedReceive receive = pair.peer.prepareReceive(pair.peerBuffer.slice());
                assertNothingIsAllocated(count -> prepared(pair, write, inline, count));
                assertNothingIsAllocated(count -> preparedMessages(pair, send, receive, count));
            }
        }
    }

    @Test
    void preparedDatagramsAllocateNothing() {
        try (PostingPair pair = new PostingPair(QueuePairType.UD)) {
            PreparedRequest send =
                    pair.pair.prepare().to(pair.toPeer).send(pair.buffer.slice(0, 8), SendFlags.SIGNALED);
            assertNothingIsAllocated(count -> {
                for (int i = 0; i < count; i++) {
                    require(send.tryPost(i));
                    awaitOne(pair.queue, pair.completions, i);
                }
            });
        }
    }

    @Test
    void sendingDatagramsAllocatesNothing() {
        try (PostingPair pair = new PostingPair(QueuePairType.UD)) {
            MemorySlice message = pair.buffer.slice(0, 8);
            assertNothingIsAllocated(count -> datagrams(pair, message, count));
        }
    }

    @Test
    void sendingAndReceivingAllocateNothing() {
        try (ConnectedPair pair = new ConnectedPair(4096)) {
            MemorySlice message = pair.buffer.slice(0, 8);
            MemorySlice room = pair.peerBuffer.slice(0, 8);
            assertNothingIsAllocated(count -> messages(pair, message, room, count));
        }
    }

    @Test
    void armingAllocatesNothing() {
        try (DeviceContext device = TestDevice.open()) {
            CompletionChannel channel = device.createCompletionChannel();
            CompletionQueue queue = device.createCompletionQueue(16, config -> config.channel(channel));
            assertNothingIsAllocated(count -> arm(queue, count));
        }
    }

    @Test
    void readingThroughACursorAllocatesNothing() {
        try (DeviceContext device = TestDevice.open()) {
            ExtendedCompletionQueue queue = device.createExtendedCompletionQueue(64, config -> {});
            LoopbackPair pair =
                    new LoopbackPair(device.allocateProtectionDomain(), queue, device.createCompletionQueue(16));
            MemorySlice source = pair.buffer.slice(0, 8);
            RemoteMemory target = pair.buffer.remoteMemory().slice(8, 8);
            assertNothingIsAllocated(count -> cursor(pair, queue.cursor(), source, target, count));
        }
    }

    /**
     * The least of three rounds: a compiled method that is thrown away in mid-run may put one object on the heap, once.
     */
    private void assertNothingIsAllocated(IntConsumer operations) {
        operations.accept(WARM_UP);
        long[] allocated = new long[3];
        for (int round = 0; round < allocated.length; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            operations.accept(OPERATIONS);
            allocated[round] = threads.getCurrentThreadAllocatedBytes() - before;
            if (allocated[round] == 0) {
                return;
            }
        }
        fail("bytes allocated in %d operations, three times: %s", OPERATIONS, Arrays.toString(allocated));
    }

    private static void writes(ConnectedPair pair, MemorySlice source, RemoteMemory target, int count) {
        for (int i = 0; i < count; i++) {
            int flags = (i & 1) == 0 ? SendFlags.SIGNALED | SendFlags.INLINE : SendFlags.SIGNALED;
            require(pair.pair.tryPostWrite(i, source, target, flags));
            awaitOne(pair.queue, pair.completions, i);
        }
    }

    private static void prepared(ConnectedPair pair, PreparedRequest write, PreparedRequest inline, int count) {
        for (int i = 0; i < count; i++) {
            PreparedRequest request = (i & 1) == 0 ? write : inline;
            require(request.local(i & 63).remote(i & 127).signaled(true).tryPost(i));
            awaitOne(pair.queue, pair.completions, i);
        }
    }

    private static void preparedMessages(ConnectedPair pair, PreparedRequest send, PreparedReceive receive, int count) {
        for (int i = 0; i < count; i++) {
            require(receive.local(i & 63, 64).tryPost(i));
            require(send.local(i & 63, 8).tryPost(i));
            awaitOne(pair.queue, pair.completions, i);
            awaitOne(pair.peerQueue, pair.completions, i);
        }
    }

    private static void batches(ConnectedPair pair, MemorySlice source, RemoteMemory target, int count) {
        for (int i = 0; i < count; i += 4) {
            boolean posted = pair.pair
                    .startBatch()
                    .write(i, source, target, SendFlags.NONE)
                    .write(i + 1, source, target, SendFlags.NONE)
                    .write(i + 2, source, target, SendFlags.NONE)
                    .write(i + 3, source, target, SendFlags.SIGNALED)
                    .tryPost();
            require(posted);
            awaitOne(pair.queue, pair.completions, i + 3);
        }
    }

    private static void messages(ConnectedPair pair, MemorySlice message, MemorySlice room, int count) {
        for (int i = 0; i < count; i++) {
            require(pair.peer.tryPostReceive(i, room));
            require(pair.pair.tryPostSend(i, message, SendFlags.SIGNALED));
            awaitOne(pair.queue, pair.completions, i);
            awaitOne(pair.peerQueue, pair.completions, i);
        }
    }

    private static void arm(CompletionQueue queue, int count) {
        for (int i = 0; i < count; i++) {
            queue.requestNotification((i & 1) == 0);
        }
    }

    private static void cursor(
            LoopbackPair pair, CompletionCursor cursor, MemorySlice source, RemoteMemory target, int count) {
        for (int i = 0; i < count; i++) {
            require(pair.pair.tryPostWrite(i, source, target, SendFlags.SIGNALED));
            long spins = 0;
            while (!cursor.start()) {
                require(++spins < MAX_SPINS);
            }
            require(cursor.isSuccess() && cursor.workRequestId() == i);
            require(cursor.opcode() == WorkCompletionOpcode.RDMA_WRITE);
            require(cursor.queuePairNumber() == pair.pair.number() && cursor.byteLength() >= 0);
            require(!cursor.next());
            cursor.end();
        }
    }

    /** Nobody receives them; the peer drops them. */
    private static void datagrams(PostingPair pair, MemorySlice message, int count) {
        for (int i = 0; i < count; i++) {
            require(pair.pair.tryPostSend(i, message, pair.toPeer, SendFlags.SIGNALED));
            awaitOne(pair.queue, pair.completions, i);
        }
    }

    private static void awaitOne(CompletionQueue queue, WorkCompletions completions, long workRequestId) {
        long spins = 0;
        while (queue.poll(completions) == 0) {
            require(++spins < MAX_SPINS);
        }
        WorkCompletion completion = completions.get(0);
        require(completion.isSuccess() && completion.workRequestId() == workRequestId);
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }
}
