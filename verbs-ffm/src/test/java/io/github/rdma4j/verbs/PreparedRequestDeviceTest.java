// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.PreparedRequests.assertDone;
import static io.github.rdma4j.verbs.PreparedRequests.assertRefused;
import static io.github.rdma4j.verbs.PreparedRequests.connected;
import static io.github.rdma4j.verbs.PreparedRequests.datagrams;
import static io.github.rdma4j.verbs.PreparedRequests.memory;
import static io.github.rdma4j.verbs.PreparedRequests.word;
import static io.github.rdma4j.verbs.SendFlags.INLINE;
import static io.github.rdma4j.verbs.SendFlags.NONE;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.PreparedRequests.Way;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests requests that are prepared once and posted many times, with changes in between. */
@Tag("device")
@Timeout(600)
class PreparedRequestDeviceTest {
    @ParameterizedTest
    @EnumSource
    void writeMovesInBothMemoriesBetweenItsPosts(Way way) {
        try (PostingPair pair = connected(way)) {
            for (int i = 0; i < 16; i++) {
                word(pair.buffer, i, 100 + i);
            }
            PreparedRequest write = pair.pair
                    .prepare()
                    .length(8)
                    .write(pair.buffer.slice(0, 128), pair.peerBuffer.remoteMemory(), SIGNALED);
            for (int i = 0; i < 16; i++) {
                assertThat(write.local(i * 8).remote((15 - i) * 16).tryPost(i)).isTrue();
                assertDone(pair.await(), i);
            }
            for (int i = 0; i < 16; i++) {
                assertThat(word(pair.peerBuffer, (15 - i) * 2)).isEqualTo(100 + i);
                assertThat(word(pair.peerBuffer, (15 - i) * 2 + 1)).isZero();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void unchangedFieldsKeepTheirValues(Way way) {
        try (PostingPair pair = connected(way)) {
            PreparedRequest write = pair.pair
                    .prepare()
                    .write(
                            pair.buffer.slice(8, 16),
                            pair.peerBuffer.remoteMemory().slice(64, 16),
                            SIGNALED);
            for (long i = 1; i < 5; i++) {
                word(pair.buffer, 1, i);
                word(pair.buffer, 2, -i);
                assertThat(i == 1 ? write.workRequestId(7).tryPost() : write.tryPost())
                        .isTrue();
                assertDone(pair.await(), 7);
                assertThat(word(pair.peerBuffer, 8)).isEqualTo(i);
                assertThat(word(pair.peerBuffer, 9)).isEqualTo(-i);
            }
            assertThat(word(pair.peerBuffer, 7)).isZero();
            assertThat(word(pair.peerBuffer, 10)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void lengthChangesBetweenPosts(Way way) {
        try (PostingPair pair = connected(way)) {
            memory(pair.buffer).fill((byte) 'x');
            PreparedRequest write =
                    pair.pair.prepare().write(pair.buffer.slice(0, 100), pair.peerBuffer.remoteMemory(), SIGNALED);
            for (int length : new int[] {3, 100, 0, 99}) {
                memory(pair.peerBuffer).fill((byte) 0);
                assertThat(write.local(100 - length, length).tryPost(length)).isTrue();
                assertDone(pair.await(), length);
                String expected = "x".repeat(length);
                assertThat(memory(pair.peerBuffer).getString(0)).isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void readBringsWhatThePeerHasNow(Way way) {
        try (PostingPair pair = connected(way)) {
            PreparedRequest read = pair.pair
                    .prepare()
                    .length(8)
                    .read(pair.buffer.slice(0, 64), pair.peerBuffer.remoteMemory(), SIGNALED);
            for (int i = 0; i < 8; i++) {
                word(pair.peerBuffer, 3 * i, 1000 + i);
                assertThat(read.local(i * 8).remote(i * 24).tryPost(i)).isTrue();
                assertDone(pair.await(), i);
                assertThat(word(pair.buffer, i)).isEqualTo(1000 + i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void messagesAndNumbersChangeBetweenPosts(Way way) {
        try (PostingPair pair = connected(way)) {
            PreparedReceive receive = pair.peer.prepareReceive(pair.peerBuffer.slice(0, 64));
            PreparedRequest send = pair.pair.prepare().send(pair.buffer.slice(0, 64), SIGNALED);
            PreparedRequest numbered = pair.pair.prepare().sendWithImmediate(pair.buffer.slice(0, 64), 40, SIGNALED);
            for (int i = 0; i < 6; i++) {
                boolean withNumber = i % 2 == 1;
                String text = "message " + i;
                memory(pair.buffer).setString(0, text);
                assertThat(receive.tryPost(i)).isTrue();
                PreparedRequest request = withNumber ? numbered : send;
                assertThat(request.local(0, text.length() + 1).tryPost(i)).isTrue();
                assertDone(pair.await(), i);
                WorkCompletion received = pair.awaitPeer();
                assertDone(received, i);
                assertThat(received.byteLength()).isEqualTo(text.length() + 1);
                assertThat(memory(pair.peerBuffer).getString(0)).isEqualTo(text);
                assertThat(received.hasImmediateData()).isEqualTo(withNumber);
                if (withNumber) {
                    assertThat(received.immediateData()).isEqualTo(i == 1 ? 40 : 0xcafe0000 + i - 2);
                    numbered.immediate(0xcafe0000 + i);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachWriteSendsItsOwnImmediateValue(Way way) {
        try (PostingPair pair = connected(way)) {
            PreparedRequest write = pair.pair
                    .prepare()
                    .writeWithImmediate(
                            pair.buffer.slice(0, 8),
                            pair.peerBuffer.remoteMemory().slice(0, 8),
                            -1,
                            SIGNALED);
            for (int i = -1; i < 4; i++) {
                word(pair.buffer, 0, i);
                assertThat(pair.peer.tryPostReceive(i, pair.peerBuffer.slice(4096, 0)))
                        .isTrue();
                assertThat((i < 0 ? write : write.immediate(i)).tryPost(i)).isTrue();
                assertDone(pair.await(), i);
                WorkCompletion completion = pair.awaitPeer();
                assertDone(completion, i);
                assertThat(completion.immediateData()).isEqualTo(i);
                assertThat(word(pair.peerBuffer, 0)).isEqualTo(i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void atomicOperationsTakeOtherOperandsAndOtherPlaces(Way way) {
        try (PostingPair pair = connected(way)) {
            RemoteMemory remote = pair.peerBuffer.remoteMemory();
            PreparedRequest add =
                    pair.pair.prepare().length(8).fetchAndAdd(pair.buffer.slice(0, 16), remote, 5, SIGNALED);
            word(pair.peerBuffer, 0, 100);
            assertThat(add.tryPost(1)).isTrue();
            assertDone(pair.await(), 1);
            assertThat(add.addend(-7).local(8).tryPost(2)).isTrue();
            assertDone(pair.await(), 2);
            assertThat(add.remote(24).tryPost(3)).isTrue();
            assertDone(pair.await(), 3);
            assertThat(word(pair.peerBuffer, 0)).isEqualTo(98);
            assertThat(word(pair.peerBuffer, 3)).isEqualTo(-7);
            assertThat(word(pair.buffer, 0)).isEqualTo(100);
            assertThat(word(pair.buffer, 1)).isZero();

            PreparedRequest swap = pair.pair.prepare().compareAndSwap(pair.buffer.slice(32, 8), remote, 1, 2, SIGNALED);
            assertThat(swap.tryPost(4)).isTrue();
            assertDone(pair.await(), 4);
            assertThat(word(pair.buffer, 4)).isEqualTo(98);
            assertThat(word(pair.peerBuffer, 0)).isEqualTo(98);
            assertThat(swap.expected(98).newValue(Long.MIN_VALUE).tryPost(5)).isTrue();
            assertDone(pair.await(), 5);
            assertThat(word(pair.peerBuffer, 0)).isEqualTo(Long.MIN_VALUE);
        }
    }

    @ParameterizedTest
    @EnumSource
    void onlySignalledPostsMakeACompletion(Way way) {
        try (PostingPair pair = connected(way)) {
            PreparedRequest write =
                    pair.pair.prepare().write(pair.buffer.slice(0, 8), pair.peerBuffer.remoteMemory(), INLINE);
            for (int i = 0; i < 20; i++) {
                word(pair.buffer, 0, i);
                assertThat(write.signaled(i % 10 == 9).tryPost(i)).isTrue();
                // Without the INLINE flag, the adapter could read the next value instead of this one.
                word(pair.buffer, 0, -1);
                if (i % 10 == 9) {
                    assertDone(pair.await(), i);
                    assertThat(word(pair.peerBuffer, 0)).isEqualTo(i);
                }
            }
            assertThat(pair.queue.poll(pair.completions)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void inlineDataIsCopiedAtEachPost(Way way) {
        try (PostingPair pair = connected(way)) {
            // A ring that is far longer than inline data can be.
            PreparedRequest write = pair.pair
                    .prepare()
                    .length(8)
                    .write(pair.buffer.slice(0, 4096), pair.peerBuffer.remoteMemory(), SIGNALED | INLINE);
            int count = 64;
            for (int i = 0; i < count; i++) {
                word(pair.buffer, i, 7L * i + 1);
                assertThat(write.local(i * 8).remote(i * 8).tryPost(i)).isTrue();
                word(pair.buffer, i, -1);
            }
            for (int done = 0; done < count; ) {
                done += pair.queue.poll(pair.completions);
            }
            for (int i = 0; i < count; i++) {
                assertThat(word(pair.peerBuffer, i)).isEqualTo(7L * i + 1);
            }
            assertThat(write.local(0, PostingPair.MAX_INLINE).remote(0).tryPost(1))
                    .isTrue();
            assertThat(pair.await().isSuccess()).isTrue();
            assertThatThrownBy(() -> write.local(0, PostingPair.MAX_INLINE + 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("65 bytes inline: this queue pair carries at most 64");
        }
    }

    @ParameterizedTest
    @EnumSource
    void inlineDataThatWasBroughtIsThatOfTheCall(Way way) {
        try (PostingPair pair = connected(way);
                Arena arena = Arena.ofConfined()) {
            PreparedRequest write = pair.pair
                    .prepare()
                    .length(8)
                    .write(pair.buffer.slice(0, 64), pair.peerBuffer.remoteMemory(), SIGNALED | INLINE);
            memory(pair.peerBuffer).fill((byte) -1);
            word(pair.buffer, 1, 3);
            // Memory that is not registered, and that changes or is gone before the post.
            MemorySegment brought = arena.allocate(16, 8);
            brought.set(ValueLayout.JAVA_LONG, 0, 1);
            brought.set(ValueLayout.JAVA_LONG, 8, 2);
            write.data(brought);
            brought.fill((byte) 9);
            assertThat(write.tryPost(1)).isTrue();
            assertDone(pair.await(), 1);
            ByteBuffer buffer = ByteBuffer.allocate(24).order(ByteOrder.nativeOrder());
            buffer.putLong(8, 4).position(8).limit(16);
            assertThat(write.data(buffer).remote(16).tryPost(2)).isTrue();
            assertDone(pair.await(), 2);
            assertThat(buffer.position()).isEqualTo(8);
            assertThat(write.local(8, 8).remote(24).tryPost(3)).isTrue();
            assertDone(pair.await(), 3);
            assertThat(List.of(0, 1, 2, 3, 4))
                    .extracting(i -> word(pair.peerBuffer, i))
                    .containsExactly(1L, 2L, 4L, 3L, -1L);
            assertRefused(() -> write.data(MemorySegment.ofArray(new byte[65])), "65 bytes inline");
            assertThatThrownBy(() -> pair.pair
                            .prepare()
                            .write(pair.buffer.slice(), pair.peerBuffer.remoteMemory(), SIGNALED)
                            .data(brought))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("has no inline data");
        }
    }

    /** Short ones are copied as words that overlap. */
    @ParameterizedTest
    @EnumSource
    void inlineDataOfEachLengthArrivesWholeAndAlone(Way way) {
        try (PostingPair pair = connected(way)) {
            PreparedRequest write = pair.pair
                    .prepare()
                    .length(0)
                    .write(pair.buffer.slice(0, 64), pair.peerBuffer.remoteMemory(), SIGNALED | INLINE);
            for (int length = 0; length <= 20; length++) {
                for (int i = 0; i < 64; i++) {
                    memory(pair.buffer).set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
                }
                memory(pair.peerBuffer).fill((byte) -1);
                assertThat(write.local(3, length).remote(5).tryPost(length)).isTrue();
                assertDone(pair.await(), length);
                for (int i = 0; i < 64; i++) {
                    boolean written = i >= 5 && i < 5 + length;
                    assertThat(memory(pair.peerBuffer).get(ValueLayout.JAVA_BYTE, i))
                            .as("byte %d of %d", i, length)
                            .isEqualTo((byte) (written ? i - 5 + 3 + 1 : -1));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void datagramsGoToTheirDestination(Way way) {
        try (PostingPair pair = datagrams(way)) {
            PreparedReceive receive = pair.peer.prepareReceive(pair.peerBuffer.slice(0, 256));
            RequestPreparation preparation = pair.pair.prepare().to(pair.toPeer);
            MemorySlice room = pair.buffer.slice(0, 32);
            List<PreparedRequest> requests = List.of(
                    preparation.send(room, SIGNALED),
                    preparation.send(room, SIGNALED | INLINE),
                    preparation.sendWithImmediate(room, 9, SIGNALED));
            for (int i = 0; i < 9; i++) {
                String text = "datagram " + i;
                memory(pair.buffer).setString(1, text);
                assertThat(receive.tryPost(i)).isTrue();
                assertThat(requests.get(i % 3).local(1, text.length() + 1).tryPost(i))
                        .isTrue();
                assertDone(pair.await(), i);
                WorkCompletion received = pair.awaitPeer();
                assertDone(received, i);
                assertThat(memory(pair.peerBuffer).getString(pair.headerLength()))
                        .isEqualTo(text);
                assertThat(received.hasImmediateData()).isEqualTo(i % 3 == 2);
            }
        }
    }

    @Test
    void unreliableConnectionTakesPreparedRequestsToo() {
        try (PostingPair pair = new PostingPair(QueuePairType.UC)) {
            PreparedRequest write =
                    pair.pair.prepare().write(pair.buffer.slice(0, 8), pair.peerBuffer.remoteMemory(), SIGNALED);
            word(pair.buffer, 0, 42);
            assertThat(write.tryPost(1)).isTrue();
            assertDone(pair.await(), 1);
            assertThat(pair.pair.prepare().write(pair.buffer.slice(0, 8), pair.peerBuffer.remoteMemory(), NONE))
                    .hasToString("a prepared RDMA write of " + pair.pair);
        }
    }

    @Test
    void severalRequestsOfOnePreparationDoNotTouchEachOther() {
        try (PostingPair pair = connected(Way.BASIC)) {
            RequestPreparation preparation = pair.pair.prepare().length(8);
            RemoteMemory remote = pair.peerBuffer.remoteMemory();
            PreparedRequest first = preparation.write(pair.buffer.slice(0, 64), remote, SIGNALED);
            PreparedRequest second = preparation.write(pair.buffer.slice(0, 64), remote, SIGNALED);
            word(pair.buffer, 0, 1);
            word(pair.buffer, 1, 2);
            second.workRequestId(2).local(8).remote(8);
            first.workRequestId(1);
            assertThat(first.tryPost()).isTrue();
            assertDone(pair.await(), 1);
            assertThat(second.tryPost()).isTrue();
            assertDone(pair.await(), 2);
            assertThat(word(pair.peerBuffer, 0)).isEqualTo(1);
            assertThat(word(pair.peerBuffer, 1)).isEqualTo(2);
        }
    }

    @Test
    void requestsThatNobodyKeepsLiveAsLongAsTheirPost() {
        try (PostingPair pair = connected(Way.BASIC)) {
            RemoteMemory remote = pair.peerBuffer.remoteMemory();
            for (int i = 0; i < 300; i++) {
                word(pair.buffer, 0, i);
                assertThat(pair.pair
                                .prepare()
                                .write(pair.buffer.slice(0, 8), remote, SIGNALED | INLINE)
                                .remote(8)
                                .tryPost(i))
                        .isTrue();
                if (i % 30 == 0) {
                    System.gc();
                }
                assertDone(pair.await(), i);
                assertThat(word(pair.peerBuffer, 1)).isEqualTo(i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void fullQueueReturnsItAndTakesTheRequestLater(Way way) {
        try (PostingPair pair = connected(way)) {
            PreparedRequest send = pair.pair.prepare().send(pair.buffer.slice(0, 8), SIGNALED);
            PreparedReceive receive = pair.peer.prepareReceive(pair.peerBuffer.slice(0, 8));
            // Nobody receives, so the queue stands.
            int accepted = 0;
            while (send.tryPost(accepted)) {
                accepted++;
                assertThat(accepted).isLessThan(1000);
            }
            assertThat(send.tryPost(accepted)).isFalse();
            for (int i = 0; i < accepted; i++) {
                assertThat(receive.tryPost(i)).isTrue();
                assertDone(pair.awaitPeer(), i);
                assertDone(pair.await(), i);
            }
            assertThat(receive.tryPost(accepted)).isTrue();
            assertThat(send.tryPost(accepted)).isTrue();
            assertDone(pair.await(), accepted);
            assertDone(pair.awaitPeer(), accepted);

            int rooms = 0;
            while (receive.tryPost(rooms)) {
                rooms++;
                assertThat(rooms).isLessThan(10_000);
            }
        }
    }
}
