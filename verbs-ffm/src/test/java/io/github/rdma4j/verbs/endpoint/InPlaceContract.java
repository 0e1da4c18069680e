// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Messages that the program writes and keeps where the adapter finds and leaves them. */
abstract class InPlaceContract {
    /** Two endpoints that are connected. */
    abstract Ends pair(Consumer<EndpointConfig> left, Consumer<EndpointConfig> right);

    private Ends pair(Consumer<EndpointConfig> both) {
        return pair(both, both);
    }

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(50);

    private static MemorySegment text(String text) {
        return MemorySegment.ofArray(text.getBytes());
    }

    private static String text(HeldMessage message) {
        return new String(message.toBytes());
    }

    @Test
    void heldMessageStaysAsItIsAndItsCloseGivesTheCreditBack() {
        try (Ends pair = pair(config -> config.receiveBuffers(2))) {
            pair.left().send(text("first"), PATIENCE);
            pair.left().send(text("second"), PATIENCE);
            HeldMessage[] first = new HeldMessage[1];
            assertThat(pair.right()
                            .receive(
                                    message -> {
                                        first[0] = message.hold();
                                        assertThatThrownBy(message::hold)
                                                .isInstanceOf(IllegalStateException.class)
                                                .hasMessageContaining("held already");
                                    },
                                    PATIENCE))
                    .isTrue();
            HeldMessage second = pair.right().receiveHeld(PATIENCE).orElseThrow();
            assertThat(pair.right().receiveHeld(Duration.ZERO)).isEmpty();
            assertThat(pair.left().send(text("no room"), SHORT)).isFalse();
            // Given back in any order.
            second.close();
            second.close();
            assertThatThrownBy(second::segment)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("given back");
            assertThat(pair.left().send(text("third"), PATIENCE)).isTrue();
            try (HeldMessage third = pair.right().receiveHeld(PATIENCE).orElseThrow()) {
                assertThat(text(third)).isEqualTo("third");
                assertThat(text(first[0])).isEqualTo("first");
                assertThat(pair.left().send(text("no room"), SHORT)).isFalse();
            }
            first[0].close();
            for (int i = 0; i < 20; i++) {
                assertThat(pair.left().send(text("number " + i), PATIENCE)).isTrue();
                assertThat(pair.right().receive(PATIENCE)).hasValue(("number " + i).getBytes());
            }
        }
    }

    /** Most buffers are held for ever, and no message goes the other way. */
    @Test
    void attachmentStaysWithTheBuffer() {
        int buffers = 2;
        int withReserve = buffers + Credits.RESERVE;
        try (Ends pair = pair(config -> config.receiveBuffers(buffers))) {
            List<Object> made = new ArrayList<>();
            Message[] last = new Message[1];
            for (int i = 0; i < 10 * withReserve; i++) {
                pair.left().send(text("message " + i), PATIENCE);
                assertThat(pair.right()
                                .receive(
                                        message -> {
                                            if (message.attachment() == null) {
                                                made.add(message.segment().address());
                                                message.attach(made.getLast());
                                            }
                                            assertThat(message.attachment())
                                                    .isEqualTo(message.segment().address());
                                            last[0] = message;
                                        },
                                        PATIENCE))
                        .isTrue();
            }
            assertThat(made).doesNotHaveDuplicates().hasSizeBetween(1, withReserve);
            assertThatThrownBy(last[0]::attachment).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> last[0].attach("")).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void twoFreeBuffersReceiveFurtherMessages() {
        int buffers = 8;
        try (Ends pair = pair(config -> config.receiveBuffers(buffers))) {
            List<HeldMessage> held = new ArrayList<>();
            for (int i = 0; i < 5 * buffers; i++) {
                assertThat(pair.left().send(text("number " + i), PATIENCE))
                        .as("message %d", i)
                        .isTrue();
                HeldMessage message = pair.right().receiveHeld(PATIENCE).orElseThrow();
                assertThat(text(message)).isEqualTo("number " + i);
                if (held.size() < buffers - 2) {
                    held.add(message);
                } else {
                    message.close();
                }
            }
            assertThat(held).extracting(InPlaceContract::text).startsWith("number 0", "number 1");
        }
    }

    @Test
    void heldMessageMayBeReadAfterTheEndpointIsClosed() {
        HeldMessage held;
        try (Ends pair = pair(config -> {})) {
            pair.left().send(text("outlives"), PATIENCE);
            held = pair.right().receiveHeld(PATIENCE).orElseThrow();
            pair.right().close();
            assertThat(text(held)).isEqualTo("outlives");
            MemorySegment segment = held.segment();
            held.close();
            assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        }
    }

    /** Returns the result of trySend after the completions and credits that are on their way have arrived. */
    private static int trySend(Endpoint endpoint, long id, MemorySlice message, int expected) {
        long start = System.nanoTime();
        int code = endpoint.trySend(id, message);
        while (code != expected && code != Endpoint.OK && System.nanoTime() - start < PATIENCE.toNanos()) {
            endpoint.poll(unexpected -> {});
            code = endpoint.trySend(id, message);
        }
        return code;
    }

    @Test
    void messageIsSentInPlaceAndItsCompletionReported() {
        try (Ends pair = pair(config -> config.sendDepth(2).receiveBuffers(4));
                MemoryRegion memory = pair.left().allocateMemory(8192)) {
            List<Long> ended = new ArrayList<>();
            TransferHandler handler = (id, original, failure) -> {
                assertThat(failure).isNull();
                ended.add(id);
            };
            for (int i = 0; i < 20; i++) {
                byte[] lies = ("from where it lies, " + i).getBytes();
                MemorySegment.copy(lies, 0, memory.segment(), ValueLayout.JAVA_BYTE, 100, lies.length);
                assertThat(trySend(pair.left(), i, memory.slice(100, lies.length), Endpoint.OK))
                        .isEqualTo(Endpoint.OK);
                assertThat(pair.right().receive(PATIENCE)).hasValue(lies);
                assertThat(pair.left().transfers().awaitTransfers(handler, PATIENCE))
                        .isOne();
                assertThat(ended).hasSize(i + 1).endsWith((long) i);
                // In the same memory, and with the same length.
                byte[] copied = ("from another place, " + i).getBytes();
                assertThat(pair.left().send(copied, PATIENCE)).isTrue();
                assertThat(pair.right().receive(PATIENCE)).hasValue(copied);
            }
            assertThat(trySend(pair.left(), 20, memory.slice(0, 4096), Endpoint.OK))
                    .isEqualTo(Endpoint.OK);
            assertThat(trySend(pair.left(), 21, memory.slice(4096, 4096), Endpoint.OK))
                    .isEqualTo(Endpoint.OK);
            assertThat(trySend(pair.left(), 22, memory.slice(0, 1), Endpoint.QUEUE_FULL))
                    .isEqualTo(Endpoint.QUEUE_FULL);
            assertThat(pair.right().receive(PATIENCE).orElseThrow()).hasSize(4096);
            assertThat(pair.right().receive(PATIENCE).orElseThrow()).hasSize(4096);
            while (ended.size() < 22) {
                assertThat(pair.left().transfers().awaitTransfers(handler, PATIENCE))
                        .isPositive();
            }
            assertThat(ended).endsWith(20L, 21L);
            assertThatThrownBy(() -> pair.left().trySend(23, memory.slice(0, 4097)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("4097");
            memory.close();
            assertThatThrownBy(() -> pair.left().trySend(24, memory.slice(0, 1)))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void claimedMessageIsWrittenWhereTheAdapterTakesIt() {
        try (Ends pair = pair(config -> config.sendDepth(4).receiveBuffers(4))) {
            for (int i = 0; i < 20; i++) {
                OutgoingMessage message = pair.left().claim(PATIENCE).orElseThrow();
                assertThat(message.segment().byteSize()).isEqualTo(pair.left().maxMessageSize());
                message.segment().setString(0, "written in place " + i);
                message.send(("written in place " + i).length());
                assertThat(pair.right().receive(PATIENCE)).hasValue(("written in place " + i).getBytes());
                assertThatThrownBy(() -> message.send(1)).isInstanceOf(IllegalStateException.class);
                message.close();
            }
            // Longer than what travels within the work request.
            try (OutgoingMessage message = pair.left().claim(PATIENCE).orElseThrow()) {
                message.segment().fill((byte) 7);
                assertThatThrownBy(() -> message.send(4097))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("0 to 4096 fit");
                message.send(4096);
            }
            assertThat(pair.right().receive(PATIENCE).orElseThrow())
                    .hasSize(4096)
                    .containsOnly(7);
        }
    }

    @Test
    void claimTakesSlotAndCreditAndReturnsThem() {
        try (Ends pair = pair(config -> config.sendDepth(4).receiveBuffers(2))) {
            OutgoingMessage first = pair.left().claim(PATIENCE).orElseThrow();
            OutgoingMessage second = pair.left().claim(PATIENCE).orElseThrow();
            assertThat(pair.left().claim(SHORT)).isEmpty();
            assertThat(pair.left().trySend(text("x"))).isEqualTo(Endpoint.NO_CREDIT);
            CompletableFuture<Void> waiting = pair.left().sendAsync(text("asked first"));
            first.close();
            second.segment().setString(0, "asked second");
            second.send(12);
            assertThat(pair.right().receive(PATIENCE)).hasValue("asked first".getBytes());
            assertThat(pair.right().receive(PATIENCE)).hasValue("asked second".getBytes());
            waiting.join();
            assertThat(pair.left().claim(PATIENCE)).isPresent();
        }
    }

    /** Receives what leaves its sender only when that one makes progress, as what waits for a credit does. */
    private static Optional<byte[]> receive(Endpoint receiver, Endpoint sender) {
        long start = System.nanoTime();
        Optional<byte[]> message;
        do {
            sender.poll(unexpected -> {});
            message = receiver.receive(SHORT);
        } while (message.isEmpty() && System.nanoTime() - start < PATIENCE.toNanos());
        return message;
    }

    @Test
    void messageSentAfterOneThatWaitsWaitsItsTurn() {
        try (Ends pair = pair(config -> config.sendDepth(4).receiveBuffers(1))) {
            OutgoingMessage claimed = pair.left().claim(PATIENCE).orElseThrow();
            CompletableFuture<Void> waiting = pair.left().sendAsync(text("asked first"));
            claimed.segment().setString(0, "asked second");
            // The one before it waits for the credit that this one has.
            claimed.send(12);
            // It has left, and the next credit is not on its way yet.
            waiting.join();
            assertThat(pair.right().receive(PATIENCE)).hasValue("asked first".getBytes());
            assertThat(receive(pair.right(), pair.left())).hasValue("asked second".getBytes());
        }
    }

    @Test
    void endOfTheEndpointOrTheConnectionEndsClaims() {
        try (Ends pair = pair(config -> {})) {
            OutgoingMessage lost = pair.left().claim(PATIENCE).orElseThrow();
            OutgoingMessage unsent = pair.right().claim(PATIENCE).orElseThrow();
            pair.right().close();
            while (pair.left().poll(message -> {}) != Endpoint.CLOSED_BY_PEER) {
                Thread.onSpinWait();
            }
            assertThatThrownBy(() -> lost.send(1)).isInstanceOf(ClosedByPeerException.class);
            assertThatThrownBy(() -> pair.left().claim(PATIENCE)).isInstanceOf(ClosedByPeerException.class);
            assertThatThrownBy(() -> unsent.send(1)).isInstanceOf(IllegalStateException.class);
            unsent.close();
        }
    }

    @Test
    void batchSendsAsManyMessagesAsFit() {
        try (Ends pair = pair(config -> config.sendDepth(8).receiveBuffers(4))) {
            List<MemorySegment> six = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                six.add(i == 3 ? MemorySegment.ofArray(new byte[4000]) : text("number " + i));
            }
            assertThat(pair.left().trySendAll(six)).isEqualTo(4);
            assertThat(pair.left().trySendAll(six)).isZero();
            assertThat(pair.left().sendAll(six, SHORT)).isZero();
            for (int i = 0; i < 4; i++) {
                assertThat(pair.right().receive(PATIENCE)).hasValue(six.get(i).toArray(ValueLayout.JAVA_BYTE));
            }
            CompletableFuture<Integer> all =
                    CompletableFuture.supplyAsync(() -> pair.left().sendAll(six, PATIENCE));
            for (MemorySegment message : six) {
                assertThat(pair.right().receive(PATIENCE)).hasValue(message.toArray(ValueLayout.JAVA_BYTE));
            }
            assertThat(all.join()).isEqualTo(6);
            assertThat(pair.left().sendAll(List.of(), PATIENCE)).isZero();
            assertThatThrownBy(() -> pair.left().trySendAll(List.of(text("x"), MemorySegment.ofArray(new byte[4097]))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("4097");
            assertThat(pair.right().receive(SHORT)).isEmpty();
            pair.right().close();
            while (pair.left().poll(message -> {}) != Endpoint.CLOSED_BY_PEER) {
                Thread.onSpinWait();
            }
            assertThat(pair.left().trySendAll(six)).isEqualTo(Endpoint.CLOSED_BY_PEER);
            assertThatThrownBy(() -> pair.left().sendAll(six, PATIENCE)).isInstanceOf(ClosedByPeerException.class);
        }
    }

    /** A batch of the adapter holds at most 256. */
    @Test
    void sendAllTakesMoreMessagesThanABatchOfTheAdapter() {
        int count = 300;
        try (Ends pair =
                pair(config -> config.sendDepth(count).receiveBuffers(count).maxMessageSize(64))) {
            List<MemorySegment> messages = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                messages.add(text("number " + i));
            }
            for (int round = 0; round < 2; round++) {
                assertThat(pair.left().sendAll(messages, PATIENCE)).isEqualTo(count);
                for (MemorySegment message : messages) {
                    assertThat(pair.right().receive(PATIENCE)).hasValue(message.toArray(ValueLayout.JAVA_BYTE));
                }
            }
        }
    }

    @Test
    void arraysAndBuffersAreMessages() {
        try (Ends pair = pair(config -> {})) {
            assertThat(pair.left().send("array".getBytes(), PATIENCE)).isTrue();
            List<ByteBuffer> buffers = new ArrayList<>(List.of(
                    ByteBuffer.wrap("xheapx".getBytes()).position(1).limit(5),
                    ByteBuffer.allocateDirect(4).put("dire".getBytes()).flip()));
            for (ByteBuffer buffer : buffers) {
                assertThat(pair.left().send(buffer, PATIENCE)).isTrue();
                assertThat(buffer.hasRemaining()).isFalse();
            }
            assertThat(pair.right().receive(PATIENCE)).hasValue("array".getBytes());
            assertThat(pair.right().receive(PATIENCE)).hasValue("heap".getBytes());
            assertThat(pair.right().receive(PATIENCE)).hasValue("dire".getBytes());
        }
    }
}
