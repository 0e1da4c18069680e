// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.SendFlags.NONE;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rdma4j.verbs.internal.LaterVerbs;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests refusals of extended posting, and batches that are dropped, too long or overtaken by a close. */
@Tag("device")
class ExtendedPostingDeviceTest {
    private final PostingPair pair = new PostingPair(QueuePairType.RC, SendOperation.RDMA_WRITE);

    @AfterEach
    void close() {
        pair.close();
    }

    private RemoteMemory target(long length) {
        return pair.peerBuffer.remoteMemory().slice(0, length);
    }

    @Test
    void operationThatWasNotAskedForIsNamedBeforeAnythingIsPosted() {
        SendBatch batch = pair.pair.startBatch().write(1, pair.buffer.slice(0, 8), target(8), SIGNALED);
        assertThatThrownBy(() -> batch.send(2, pair.buffer.slice(0, 8), SIGNALED))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("posting a send on queue pair 0x")
                .hasMessageContaining("QueuePairConfig.sendOperations did not name it");
        assertThatThrownBy(() -> batch.read(2, pair.buffer.slice(0, 8), target(8), SIGNALED))
                .isInstanceOf(UnsupportedVerbException.class);
        assertThatThrownBy(() -> batch.fetchAndAdd(2, pair.buffer.slice(0, 8), target(8), 1, SIGNALED))
                .isInstanceOf(UnsupportedVerbException.class);
        assertThatThrownBy(() -> batch.localInvalidate(2, 1, SIGNALED)).isInstanceOf(UnsupportedVerbException.class);
        assertThatThrownBy(() -> batch.atomicWrite(2, 1, target(8), SIGNALED))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("posting an atomic write");
        assertThatThrownBy(() -> batch.flush(2, target(8), FlushPlacement.GLOBAL, FlushLevel.RANGE, SIGNALED))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("posting a flush");
        assertThatThrownBy(() -> pair.pair.tryPostSend(2, pair.buffer.slice(0, 8), SIGNALED))
                .isInstanceOf(UnsupportedVerbException.class);
        assertThat(batch.size()).isEqualTo(1);
        assertThat(batch.tryPost()).isTrue();
        assertThat(pair.await().workRequestId()).isEqualTo(1);
    }

    @Test
    void basicPostingHasNoAtomicWriteAndNoFlush() {
        try (PostingPair basic = new PostingPair(QueuePairType.RC)) {
            RemoteMemory remote = basic.peerBuffer.remoteMemory().slice(0, 8);
            assertThatThrownBy(() -> basic.pair.startBatch().atomicWrite(1, 1, remote, SIGNALED))
                    .isInstanceOf(UnsupportedVerbException.class);
            assertThatThrownBy(() -> basic.pair
                            .startBatch()
                            .flush(1, remote, FlushPlacement.PERSISTENT, FlushLevel.MEMORY_REGION, SIGNALED))
                    .isInstanceOf(UnsupportedVerbException.class);
        }
    }

    @Test
    void operationThatTheTypeDoesNotHaveIsRefusedAtCreation() {
        assertThatThrownBy(() -> new PostingPair(QueuePairType.UD, SendOperation.RDMA_READ))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a queue pair of type UD has no RDMA read");
    }

    @Test
    void unsupportedOperationIsRefusedAtCreation() throws IOException {
        assumeTrue(TestDevice.isSoftware(), "libraries of adapters support more than SoftRoCE's");
        // rdma-core 45 brought flush to SoftRoCE's library, and with it a function pointer that older structures lack.
        if (rdmaCoreVersion() < 45) {
            assertRefused(config -> config.sendOperations(SendOperation.FLUSH), "send_ops_flags=[FLUSH]");
        }
        assertRefused(
                config -> config.creationFlags(QueuePairCreationFlag.BLOCK_MULTICAST_LOOPBACK),
                "create_flags=[BLOCK_MULTICAST_LOOPBACK]");
        assertRefused(config -> config.sourceQueuePairNumber(0x123456), "source_qpn=1193046");
        assertRefused(config -> config.maxSegmentHeader(64), "max_tso_header=64");
    }

    /** The file's name has it: libibverbs.so.1.14.44.0. No exported function came between 42 and 59. */
    private static int rdmaCoreVersion() throws IOException {
        return Files.readString(Path.of("/proc/self/maps"))
                .lines()
                .map(Pattern.compile(".*/libibverbs\\.so\\.1\\.\\d+\\.(\\d+)\\.\\d+")::matcher)
                .filter(Matcher::matches)
                .mapToInt(name -> Integer.parseInt(name.group(1)))
                .findFirst()
                .orElseThrow();
    }

    private void assertRefused(Consumer<QueuePairConfig> asked, String named) {
        QueuePairType type = named.startsWith("source_qpn") ? QueuePairType.UD : QueuePairType.RC;
        int children = pair.domain.childCount();
        assertThatThrownBy(() -> pair.domain.createQueuePair(type, config -> {
                    config.completionQueue(pair.queue);
                    asked.accept(config);
                }))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_qp_ex(" + type)
                .hasMessageContaining(named);
        assertThat(pair.domain.childCount()).isEqualTo(children);
    }

    @Test
    void segmentedSendNeedsSpaceForItsHeader() {
        try (Arena arena = Arena.ofConfined();
                QueuePair datagrams =
                        pair.domain.createQueuePair(QueuePairType.UD, config -> config.completionQueue(pair.queue))) {
            MemorySegment header = arena.allocate(54);
            SliceList stream = SliceList.of(pair.buffer.slice(0, 100));
            assertThatThrownBy(() -> datagrams.startBatch().segmentedSend(1, header, 50, stream, SIGNALED))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a header of 54 bytes: this queue pair allows 1..0 (QueuePairConfig.maxSegmentHeader)");
            assertThatThrownBy(() -> pair.pair.startBatch().segmentedSend(1, header, 50, stream, SIGNALED))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1..0");
        }
    }

    @Test
    void slicesOfDifferentLengthsAreRefusedWhereSoftRoceConfusesThem() {
        SliceList unequal = SliceList.of(pair.buffer.slice(0, 4), pair.buffer.slice(8, 5));
        if (!LaterVerbs.isExported("ibv_alloc_buf") && pair.device.driver().mayBeSoftware()) {
            assertThatThrownBy(() -> pair.pair.startBatch().write(1, unequal, target(9), SIGNALED))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("posting slices of 4 and 5 bytes")
                    .hasMessageContaining("rdma-core 64");
        } else {
            pair.buffer.segment().setString(0, "abcd");
            pair.buffer.segment().setString(8, "efgh");
            assertThat(pair.pair
                            .startBatch()
                            .write(1, unequal, target(9), SIGNALED)
                            .tryPost())
                    .isTrue();
            assertThat(pair.await().isSuccess()).isTrue();
            assertThat(pair.peerBuffer.segment().getString(0)).isEqualTo("abcdefgh");
        }
    }

    @Test
    void fullQueueTakesNothingOfABatchAndLaterAll() {
        assumeTrue(TestDevice.isSoftware(), "mlx5 accepts a part of a batch: docs/verbs.md");
        try (PostingPair sending = new PostingPair(QueuePairType.RC, SendOperation.SEND)) {
            // Nobody receives, so the queue stands.
            MemorySlice message = sending.buffer.slice(0, 8);
            int accepted = 0;
            boolean posted;
            do {
                SendBatch batch = sending.pair.startBatch();
                for (int i = 0; i < 50; i++) {
                    batch.send(accepted + i, message, i == 49 ? SIGNALED : NONE);
                }
                posted = batch.tryPost();
                assertThat(batch.size()).isEqualTo(posted ? 0 : 50);
                accepted += posted ? 50 : 0;
            } while (posted && accepted < 1000);
            assertThat(accepted).isBetween(100, 999);
            WorkCompletions one = WorkCompletions.allocate(1);
            for (int done = 0; done < accepted; done += 50) {
                for (int i = 0; i < 50; i++) {
                    assertThat(sending.peer.tryPostReceive(i, sending.peerBuffer.slice(0, 8)))
                            .isTrue();
                }
                for (int i = 0; i < 50; i++) {
                    awaitOne(sending.peerQueue, one);
                }
                awaitOne(sending.queue, one);
                assertThat(one.get(0).workRequestId()).isEqualTo(done + 49);
            }
        }
    }

    private static void awaitOne(CompletionQueue queue, WorkCompletions one) {
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (queue.poll(one) == 0) {
            assertThat(System.nanoTime()).isLessThan(deadline);
        }
        assertThat(one.get(0).isSuccess()).as(one.get(0).describe()).isTrue();
    }

    @Test
    void droppedBatchIsNotPostedAndHoldsNothing() {
        pair.buffer.segment().set(ValueLayout.JAVA_LONG, 0, 1L);
        pair.pair.startBatch().write(1, pair.buffer.slice(0, 8), target(8), SIGNALED);
        assertThat(pair.pair.startBatch().size()).isZero();
        // Were the send queue's lock held, this would wait for ever.
        assertThat(pair.pair.tryPostWrite(
                        2,
                        pair.buffer.slice(8, 8),
                        pair.peerBuffer.remoteMemory().slice(8, 8),
                        SIGNALED))
                .isTrue();
        assertThat(pair.await().workRequestId()).isEqualTo(2);
        assertThat(pair.peerBuffer.segment().get(ValueLayout.JAVA_LONG, 0)).isZero();
    }

    @Test
    void queuePairIsClosedInTheMiddleOfBuildingABatch() {
        SendBatch batch = pair.pair.startBatch().write(1, pair.buffer.slice(0, 8), target(8), SIGNALED);
        pair.pair.close();
        assertThatThrownBy(() -> batch.write(2, pair.buffer.slice(0, 8), target(8), SIGNALED))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(batch::tryPost).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingRacesPosting() throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            try (PostingPair race = new PostingPair(QueuePairType.RC, SendOperation.RDMA_WRITE)) {
                RemoteMemory remote = race.peerBuffer.remoteMemory().slice(0, 8);
                MemorySlice local = race.buffer.slice(0, 8);
                Throwable[] ended = new Throwable[1];
                Thread poster = new Thread(() -> {
                    try {
                        while (true) {
                            race.pair
                                    .startBatch()
                                    .write(1, local, remote, NONE)
                                    .write(2, local, remote, SIGNALED)
                                    .tryPost();
                            race.queue.poll(race.completions);
                        }
                    } catch (IllegalStateException e) {
                        ended[0] = e;
                    }
                });
                poster.start();
                Thread.sleep(round);
                race.pair.close();
                assertThat(poster.join(Duration.ofMinutes(2))).isTrue();
                assertThat(ended[0]).isNotNull().hasMessageContaining("is closed");
            }
        }
    }
}
