// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two threads post on one queue pair: each request arrives as it was posted, and a batch is one thread's. */
@Tag("device")
@Tag("parallel")
@Timeout(600)
class PostingThreadsDeviceTest {
    private static final int THREADS = 2;

    /** How the requests are posted. */
    enum Way {
        BASIC(SendFlags.SIGNALED),
        INLINE(SendFlags.SIGNALED | SendFlags.INLINE),
        EXTENDED(SendFlags.SIGNALED, SendOperation.RDMA_WRITE);

        final int flags;
        final SendOperation[] operations;

        Way(int flags, SendOperation... operations) {
            this.flags = flags;
            this.operations = operations;
        }
    }

    private static List<Thread> start(Queue<Throwable> failures, IntConsumer task) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            threads.add(Thread.ofPlatform().name("poster " + i).start(() -> {
                try {
                    task.accept(number);
                } catch (Throwable e) {
                    failures.add(e);
                }
            }));
        }
        return threads;
    }

    private static void poll(
            PostingPair pair, CompletionQueue queue, int count, Queue<Throwable> failures, LongConsumer each) {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        for (int done = 0; done < count; ) {
            int found = queue.poll(pair.completions);
            for (int i = 0; i < found; i++) {
                WorkCompletion completion = pair.completions.get(i);
                assertThat(completion.status()).isEqualTo(WorkCompletionStatus.SUCCESS);
                each.accept(completion.workRequestId());
            }
            if (found == 0) {
                assertThat(failures).isEmpty();
                Thread.yield();
            }
            done += found;
            assertThat(System.nanoTime()).as("%d of %d completed", done, count).isLessThan(deadline);
        }
    }

    @ParameterizedTest
    @EnumSource
    void writesOfTwoThreadsAllArriveWhereTheyBelong(Way way) throws Exception {
        int each = 400;
        try (PostingPair pair = new PostingPair(QueuePairType.RC, way.operations)) {
            long size = (long) THREADS * each * Long.BYTES;
            MemoryRegion from = pair.domain.allocateMemory(size, LOCAL_WRITE);
            MemoryRegion to = pair.domain.allocateMemory(size, LOCAL_WRITE, REMOTE_WRITE);
            for (long i = 0; i < size / Long.BYTES; i++) {
                from.segment().setAtIndex(ValueLayout.JAVA_LONG, i, ~i);
            }
            MemorySlice[] sources = slices(from, THREADS * each);
            RemoteMemory[] targets = new RemoteMemory[THREADS * each];
            for (int i = 0; i < targets.length; i++) {
                targets[i] = to.remoteMemory().slice((long) i * Long.BYTES, Long.BYTES);
            }
            Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
            List<Thread> threads = start(failures, number -> {
                for (int i = number * each; i < (number + 1) * each; i++) {
                    while (!pair.pair.tryPostWrite(i, sources[i], targets[i], way.flags)) {
                        Thread.yield();
                    }
                }
            });
            boolean[] completed = new boolean[THREADS * each];
            poll(pair, pair.queue, THREADS * each, failures, id -> completed[(int) id] = true);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            assertThat(completed).doesNotContain(false);
            assertThat(to.segment().mismatch(from.segment())).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void preparedWritesOfTwoThreadsAllArriveWhereTheyBelong(Way way) throws Exception {
        int each = 400;
        try (PostingPair pair = new PostingPair(QueuePairType.RC, way.operations)) {
            long size = (long) THREADS * each * Long.BYTES;
            MemoryRegion from = pair.domain.allocateMemory(size, LOCAL_WRITE);
            MemoryRegion to = pair.domain.allocateMemory(size, LOCAL_WRITE, REMOTE_WRITE);
            for (long i = 0; i < size / Long.BYTES; i++) {
                from.segment().setAtIndex(ValueLayout.JAVA_LONG, i, ~i);
            }
            Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
            List<Thread> threads = start(failures, number -> {
                PreparedRequest write =
                        pair.pair.prepare().length(Long.BYTES).write(from.slice(), to.remoteMemory(), way.flags);
                for (int i = number * each; i < (number + 1) * each; i++) {
                    write.workRequestId(i).local((long) i * Long.BYTES).remote((long) i * Long.BYTES);
                    while (!write.tryPost()) {
                        Thread.yield();
                    }
                }
            });
            boolean[] completed = new boolean[THREADS * each];
            poll(pair, pair.queue, THREADS * each, failures, id -> completed[(int) id] = true);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            assertThat(completed).doesNotContain(false);
            assertThat(to.segment().mismatch(from.segment())).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void batchesOfTwoThreadsGoIntoTheQueueInOnePieceEach(Way way) throws Exception {
        int batches = 100;
        int length = 4;
        int each = batches * length;
        try (PostingPair pair = new PostingPair(QueuePairType.RC, way.operations)) {
            MemoryRegion from = pair.domain.allocateMemory((long) THREADS * each * Long.BYTES, LOCAL_WRITE);
            MemoryRegion to = pair.domain.allocateMemory(from.length(), LOCAL_WRITE, REMOTE_WRITE);
            for (long i = 0; i < (long) THREADS * each; i++) {
                from.segment().setAtIndex(ValueLayout.JAVA_LONG, i, ~i);
            }
            MemorySlice[] sources = slices(from, THREADS * each);
            Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
            Queue<Integer> whole = new ConcurrentLinkedQueue<>();
            List<Thread> threads = start(failures, number -> {
                for (int first = number * each; first < (number + 1) * each; first += length) {
                    SendBatch batch = pair.pair.startBatch();
                    for (int i = first; i < first + length; i++) {
                        batch.write(
                                i, sources[i], to.remoteMemory().slice((long) i * Long.BYTES, Long.BYTES), way.flags);
                    }
                    // A full queue takes the first part, or with extended posting nothing.
                    if (batch.tryPost()) {
                        whole.add(first);
                        continue;
                    }
                    do {
                        assertThat(batch.size()).isBetween(1, length);
                        Thread.yield();
                    } while (!batch.tryPost());
                }
            });
            List<Integer> order = new ArrayList<>();
            poll(pair, pair.queue, THREADS * each, failures, id -> order.add((int) id));
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            assertThat(order).doesNotHaveDuplicates();
            assertThat(whole).isNotEmpty();
            // Completions come in the order of the queue.
            for (int first : whole) {
                int place = order.indexOf(first);
                assertThat(order.subList(place, place + length))
                        .containsExactly(first, first + 1, first + 2, first + 3);
            }
            assertThat(to.segment().mismatch(from.segment())).isEqualTo(-1);
        }
    }

    private static MemorySlice[] slices(MemoryRegion region, int count) {
        MemorySlice[] slices = new MemorySlice[count];
        for (int i = 0; i < count; i++) {
            slices[i] = region.slice((long) i * Long.BYTES, Long.BYTES);
        }
        return slices;
    }

    @Test
    void receivesOfTwoThreadsKeepTheirBuffersAndIds() throws Exception {
        int each = 60;
        for (int round = 0; round < 5; round++) {
            try (PostingPair pair = new PostingPair(QueuePairType.RC)) {
                MemoryRegion rooms = pair.domain.allocateMemory((long) THREADS * each * Long.BYTES, LOCAL_WRITE);
                MemorySlice[] slices = slices(rooms, THREADS * each);
                Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
                List<Thread> threads = start(failures, number -> {
                    for (int i = number * each; i < (number + 1) * each; i++) {
                        assertThat(pair.peer.tryPostReceive(i, slices[i])).isTrue();
                    }
                });
                for (Thread thread : threads) {
                    thread.join();
                }
                assertThat(failures).isEmpty();
                for (int i = 0; i < THREADS * each; i++) {
                    pair.buffer.segment().set(ValueLayout.JAVA_LONG, 0, i + 1);
                    assertThat(pair.pair.tryPostSend(i, pair.buffer.slice(0, Long.BYTES), SendFlags.SIGNALED))
                            .isTrue();
                    poll(pair, pair.queue, 1, failures, id -> {});
                    long message = i + 1;
                    poll(
                            pair,
                            pair.peerQueue,
                            1,
                            failures,
                            id -> assertThat(rooms.segment().getAtIndex(ValueLayout.JAVA_LONG, id))
                                    .isEqualTo(message));
                }
            }
        }
    }

    @Test
    void batchInTheHandsOfAnotherThreadIsAnExceptionThatNamesBoth() throws Exception {
        try (PostingPair pair = new PostingPair(QueuePairType.RC)) {
            MemorySlice slice = pair.buffer.slice(0, 8);
            SendBatch sends = pair.pair.startBatch().send(1, slice, SendFlags.SIGNALED);
            ReceiveBatch receives = pair.pair.startReceiveBatch().receive(1, slice);
            Thread.currentThread().setName("starter");
            Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
            Thread other = Thread.ofPlatform().name("intruder").start(() -> {
                for (Runnable use : List.<Runnable>of(
                        () -> sends.send(2, slice, SendFlags.SIGNALED),
                        sends::tryPost,
                        () -> receives.receive(2, slice),
                        receives::tryPost)) {
                    try {
                        use.run();
                    } catch (Throwable e) {
                        failures.add(e);
                    }
                }
                try {
                    pair.pair.startBatch();
                    pair.pair.startReceiveBatch();
                } catch (Throwable e) {
                    failures.add(e);
                }
            });
            other.join();
            assertThat(failures)
                    .hasSize(4)
                    .allSatisfy(failure -> assertThat(failure)
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("is used by Thread")
                            .hasMessageContaining("intruder")
                            .hasMessageContaining("was started by Thread")
                            .hasMessageContaining("starter"));
            // The other thread's batches are its own.
            assertThat(sends.send(2, slice, SendFlags.SIGNALED).size()).isEqualTo(2);
            assertThat(receives.tryPost()).isTrue();
            assertThat(pair.pair.startBatch().send(3, slice, SendFlags.SIGNALED).size())
                    .isEqualTo(1);
        }
    }
}
