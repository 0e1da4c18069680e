// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.RELAXED_ORDERING;
import static io.github.rdma4j.verbs.SendFlags.NONE;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Destinations of datagrams: wanted where they are needed, refused where they are not, and closed at any time. */
@Tag("device")
class DatagramDeviceTest {
    private static PostingPair open(boolean extended) {
        return extended ? new PostingPair(QueuePairType.UD, SendOperation.SEND) : new PostingPair(QueuePairType.UD);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void datagramNeedsADestination(boolean extended) {
        try (PostingPair pair = open(extended)) {
            MemorySlice message = pair.buffer.slice(0, 8);
            assertThatThrownBy(() -> pair.pair.tryPostSend(1, message, SIGNALED))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a datagram needs a destination");
            // The last batch's is forgotten.
            pair.pair.startBatch().to(pair.toPeer).send(1, message, NONE);
            SendBatch batch = pair.pair.startBatch();
            assertThatThrownBy(() -> batch.send(1, message, SIGNALED)).isInstanceOf(IllegalArgumentException.class);
            assertThat(batch.size()).isZero();
            assertThatThrownBy(() -> batch.toSharedReceiveQueue(1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a queue pair of type UD does not choose the shared receive queue");
        }
    }

    @Test
    void connectedQueuePairTakesNoDestination() {
        try (PostingPair datagrams = open(false);
                PostingPair connected = new PostingPair(QueuePairType.RC)) {
            assertThatThrownBy(() -> connected.pair.startBatch().to(datagrams.toPeer))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a queue pair of type RC sends to its peer, not to a destination");
            assertThatThrownBy(() ->
                            connected.pair.tryPostSend(1, connected.buffer.slice(0, 8), datagrams.toPeer, SIGNALED))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void addressHandleOfAnotherDomainIsRefused() {
        try (PostingPair pair = open(false);
                PostingPair other = open(false)) {
            assertThatThrownBy(() -> pair.pair.startBatch().to(other.toPeer))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is of another protection domain than queue pair 0x");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void addressHandleThatWasClosedIsAnExceptionAndNothingIsPosted(boolean extended) {
        try (PostingPair pair = open(extended)) {
            MemorySlice message = pair.buffer.slice(0, 8);
            SendBatch batch = pair.startBatch().send(1, message, SIGNALED).send(2, message, SIGNALED);
            pair.toPeer.addressHandle().close();
            assertThatThrownBy(batch::tryPost)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("address handle")
                    .hasMessageContaining("is closed");
            assertThatThrownBy(() -> pair.pair.tryPostSend(1, message, pair.toPeer, SIGNALED))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(pair.queue.poll(pair.completions)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closingAnAddressHandleRacesPosting(boolean extended) throws InterruptedException {
        try (PostingPair pair = open(extended)) {
            MemorySlice message = pair.buffer.slice(0, 8);
            for (int round = 0; round < 20; round++) {
                Destination fresh = Destination.of(
                        pair.domain.createAddressHandle(
                                pair.toPeer.addressHandle().attributes()),
                        pair.peer.number(),
                        0x11111111);
                IllegalStateException[] ended = new IllegalStateException[1];
                Thread poster = new Thread(() -> {
                    try {
                        while (true) {
                            pair.pair.tryPostSend(1, message, fresh, SIGNALED);
                            pair.queue.poll(pair.completions);
                        }
                    } catch (IllegalStateException e) {
                        ended[0] = e;
                    }
                });
                poster.start();
                Thread.sleep(round);
                fresh.addressHandle().close();
                assertThat(poster.join(Duration.ofMinutes(2))).isTrue();
                assertThat(ended[0]).isNotNull().hasMessageContaining("address handle");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"RC", "UD"})
    void memoryWithRelaxedOrderingCarriesMessages(String type) {
        try (PostingPair pair =
                new PostingPair(QueuePairType.valueOf(type), config -> {}, LOCAL_WRITE, RELAXED_ORDERING)) {
            for (int i = 0; i < 100; i++) {
                String text = "relaxed " + i;
                pair.buffer.segment().setString(0, text);
                assertThat(pair.peer.tryPostReceive(i, pair.peerBuffer.slice(0, 256)))
                        .isTrue();
                assertThat(pair.startBatch()
                                .send(i, pair.buffer.slice(0, text.length() + 1), SIGNALED)
                                .tryPost())
                        .isTrue();
                assertThat(pair.await().isSuccess()).isTrue();
                assertThat(pair.awaitPeer().isSuccess()).isTrue();
                assertThat(pair.peerBuffer.segment().getString(pair.headerLength()))
                        .isEqualTo(text);
            }
        }
    }
}
