// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.github.rdma4j.verbs.PreparedRequests.assertClosed;
import static io.github.rdma4j.verbs.PreparedRequests.assertDone;
import static io.github.rdma4j.verbs.PreparedRequests.connected;
import static io.github.rdma4j.verbs.PreparedRequests.word;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.PreparedRequests.Way;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receives that are prepared once and posted many times. */
@Tag("device")
@Timeout(600)
class PreparedReceiveDeviceTest {
    @Test
    void roomsMoveBetweenTheirPosts() {
        try (PostingPair pair = connected(Way.BASIC)) {
            PreparedReceive receive = pair.peer.prepareReceive(pair.peerBuffer.slice(512, 1024));
            for (int i = 0; i < 8; i++) {
                assertThat(receive.local(i * 64, 64).tryPost(i)).isTrue();
            }
            assertThat(receive.local(960).workRequestId(8).tryPost()).isTrue();
            PreparedRequest send = pair.pair.prepare().length(8).send(pair.buffer.slice(0, 128), SIGNALED);
            for (int i = 0; i < 9; i++) {
                word(pair.buffer, i, 5 + i);
                assertThat(send.local(i * 8).tryPost(i)).isTrue();
                assertDone(pair.await(), i);
                assertDone(pair.awaitPeer(), i);
                assertThat(word(pair.peerBuffer, 64 + (i == 8 ? 120 : i * 8))).isEqualTo(5 + i);
            }
            for (ThrowingCallable outside : List.<ThrowingCallable>of(
                    () -> receive.local(961),
                    () -> receive.local(0, 1025),
                    () -> receive.local(-1),
                    () -> receive.local(0, -1))) {
                assertThatThrownBy(outside).isInstanceOf(IndexOutOfBoundsException.class);
            }
            assertThat(receive).hasToString("a prepared receive of " + pair.peer);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sharedReceiveQueueAndOneThatIsNotConnectedYetTakePreparedReceives(boolean shared) {
        try (DeviceContext device = TestDevice.open()) {
            ProtectionDomain domain = device.allocateProtectionDomain();
            CompletionQueue queue = device.createCompletionQueue(64);
            CompletionQueue peerQueue = device.createCompletionQueue(64);
            MemoryRegion room = domain.allocateMemory(4096, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC);
            SharedReceiveQueue rooms =
                    shared ? domain.createSharedReceiveQueue(config -> config.maxWorkRequests(8)) : null;
            PreparedQueuePair mine = prepare(domain, queue, null);
            PreparedQueuePair theirs = prepare(domain, peerQueue, rooms);
            PreparedReceive receive =
                    shared ? rooms.prepareReceive(room.slice(0, 1024)) : theirs.prepareReceive(room.slice(0, 1024));
            for (int i = 0; i < 4; i++) {
                assertThat(receive.local(i * 64, 64).tryPost(10 + i)).isTrue();
            }
            QueuePair pair = mine.connect(theirs.endpoint());
            theirs.connect(mine.endpoint());
            WorkCompletions one = WorkCompletions.allocate(1);
            PreparedRequest send = pair.prepare().send(room.slice(2048, 8), SIGNALED);
            for (int i = 0; i < 4; i++) {
                word(room, 256, 77 + i);
                assertThat(send.tryPost(i)).isTrue();
                await(queue, one);
                await(peerQueue, one);
                assertDone(one.get(0), 10 + i);
                assertThat(word(room, i * 8)).isEqualTo(77 + i);
            }
            if (shared) {
                assertThatThrownBy(() -> theirs.prepareReceive(room.slice()))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("Post receives to");
                theirs.close();
                rooms.close();
                assertClosed(receive::tryPost, "shared receive queue");
                assertClosed(() -> rooms.prepareReceive(room.slice()), "shared receive queue");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void manyBuffersArePostedInAnyOrderByOneCall(boolean shared) {
        try (DeviceContext device = TestDevice.open()) {
            ProtectionDomain domain = device.allocateProtectionDomain();
            CompletionQueue queue = device.createCompletionQueue(64);
            CompletionQueue peerQueue = device.createCompletionQueue(64);
            MemoryRegion room = domain.allocateMemory(4096, LOCAL_WRITE);
            MemoryRegion more = domain.allocateMemory(4096, LOCAL_WRITE);
            SharedReceiveQueue receiving =
                    shared ? domain.createSharedReceiveQueue(config -> config.maxWorkRequests(8)) : null;
            PreparedQueuePair mine = prepare(domain, queue, null);
            PreparedQueuePair theirs = prepare(domain, peerQueue, receiving);
            List<MemorySlice> rooms = IntStream.range(0, 300)
                    .mapToObj(i -> (i < 200 ? room : more).slice(i * 8, 8))
                    .toList();
            List<MemorySlice> first = rooms.subList(0, 200);
            PreparedReceives receives =
                    shared ? receiving.prepareReceives(1000, first) : theirs.prepareReceives(1000, first);
            assertThatThrownBy(() -> receives.add(200)).isInstanceOf(IndexOutOfBoundsException.class);
            QueuePair pair = mine.connect(theirs.endpoint());
            theirs.connect(mine.endpoint());
            PreparedRequest send = pair.prepare().send(room.slice(4000, 8), SIGNALED);
            WorkCompletions one = WorkCompletions.allocate(1);
            // The buffers that were added before stay added.
            receives.add(9).extend(rooms.subList(200, 250)).extend(rooms.subList(250, 300));
            assertThat(receives.toString()).startsWith("300 prepared receives of ");
            assertThatThrownBy(() -> receives.extend(List.of())).isInstanceOf(IllegalArgumentException.class);
            assertThat(receives.tryPost()).isTrue();
            assertThat(send.tryPost(9)).isTrue();
            await(queue, one);
            await(peerQueue, one);
            assertDone(one.get(0), 1009);
            for (int[] order : new int[][] {{299, 0, 7, 249, 250}, {7, 299}, {0}, {1, 2, 3, 4}}) {
                for (int index : order) {
                    receives.add(index);
                }
                assertThatThrownBy(() -> receives.add(order[0]))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("buffer " + order[0] + " was added already");
                assertThat(receives.size()).isEqualTo(order.length);
                assertThat(receives.tryPost()).isTrue();
                assertThat(receives.size()).isZero();
                for (int index : order) {
                    word(room, 500, 31 * index);
                    assertThat(send.tryPost(index)).isTrue();
                    await(queue, one);
                    await(peerQueue, one);
                    assertDone(one.get(0), 1000 + index);
                    assertThat(word(index < 200 ? room : more, index)).isEqualTo(31 * index);
                }
            }
            assertThat(receives.tryPost()).isTrue();
            for (int index : new int[] {-1, 300}) {
                assertThatThrownBy(() -> receives.add(index)).isInstanceOf(IndexOutOfBoundsException.class);
            }
            // Rings are as long as the next power of two or more; what does not fit is not posted.
            for (int i = 299; i >= 0; i--) {
                receives.add(i);
            }
            assertThat(receives.tryPost()).isFalse();
            int rest = receives.size();
            assertThat(rest).isBetween(1, 299);
            assertThatThrownBy(() -> receives.add(0)).isInstanceOf(IllegalArgumentException.class);
            // The oldest one was posted, so it can be added again when a message has come into it.
            word(room, 500, 77);
            assertThat(send.tryPost(500)).isTrue();
            await(queue, one);
            await(peerQueue, one);
            assertDone(one.get(0), 1299);
            assertThat(word(more, 299)).isEqualTo(77);
            receives.add(299);
            assertThat(receives.tryPost()).isFalse();
            assertThat(receives.size()).isEqualTo(rest);
            more.close();
            assertClosed(receives::tryPost, "memory region");
            assertThat(receives.size()).isEqualTo(rest);
            assertThatThrownBy(() -> theirs.prepareReceives(0, List.of()))
                    .isInstanceOf(shared ? IllegalStateException.class : IllegalArgumentException.class);
        }
    }

    private static PreparedQueuePair prepare(
            ProtectionDomain domain, CompletionQueue queue, SharedReceiveQueue shared) {
        return domain.prepareQueuePair(QueuePairType.RC, config -> {
            config.completionQueue(queue);
            if (shared != null) {
                config.sharedReceiveQueue(shared);
            }
        });
    }

    private static void await(CompletionQueue queue, WorkCompletions one) {
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (queue.poll(one) == 0) {
            assertThat(System.nanoTime()).isLessThan(deadline);
        }
        assertThat(one.get(0).isSuccess()).as(one.get(0).describe()).isTrue();
    }
}
