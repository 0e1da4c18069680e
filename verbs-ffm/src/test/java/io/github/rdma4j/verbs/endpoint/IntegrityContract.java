// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages with sums, and sealed blocks, whatever carries them. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class IntegrityContract {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final int LONGEST = 300;
    static final Consumer<EndpointConfig> SUMS =
            config -> config.integrity(true).receiveBuffers(4).sendDepth(4).maxMessageSize(LONGEST);

    /** To send a message: {@link #send}. */
    private static final int WAYS = 7;

    private final Ends pair = pair();

    /** Two that are connected, with {@link #SUMS}. */
    abstract Ends pair();

    @AfterEach
    void close() {
        pair.close();
    }

    /** Whether a client comes in before one is refused. */
    static boolean acceptsSomebody(EndpointServer server) {
        while (server.counters().incompatible() == 0) {
            if (server.accept(Duration.ofMillis(10)).isPresent()) {
                return true;
            }
        }
        return false;
    }

    private static byte[] random(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Sends it in one of the ways that there are. */
    private void send(int way, byte[] message) throws Exception {
        switch (way) {
            case 0 -> assertThat(pair.left().send(message, PATIENCE)).isTrue();
            case 1 ->
                assertThat(pair.left().send(ByteBuffer.wrap(message), PATIENCE)).isTrue();
            case 2 -> pair.left().sendAsync(message).get();
            case 3 ->
                assertThat(pair.left().sendAll(List.of(MemorySegment.ofArray(message)), PATIENCE))
                        .isEqualTo(1);
            case 4 -> {
                try (OutgoingMessage out = pair.left().claim(PATIENCE).orElseThrow()) {
                    MemorySegment.copy(message, 0, out.segment(), ValueLayout.JAVA_BYTE, 0, message.length);
                    out.send(message.length);
                }
            }
            case 5 -> {
                int code = pair.left().trySend(message);
                while (code != Endpoint.OK) {
                    pair.left().poll(unexpected -> {});
                    code = pair.left().trySend(message);
                }
            }
            default -> {
                try (var region = pair.left().allocateMemory(LONGEST)) {
                    MemorySegment.copy(message, 0, region.segment(), ValueLayout.JAVA_BYTE, 0, message.length);
                    int code = pair.left().trySend(message.length, region.slice(0, message.length));
                    while (code != Endpoint.OK) {
                        pair.left().poll(unexpected -> {});
                        code = pair.left().trySend(message.length, region.slice(0, message.length));
                    }
                    assertThat(pair.left().transfers().awaitTransfers((id, original, failure) -> {}, PATIENCE))
                            .isEqualTo(1);
                }
            }
        }
    }

    @Test
    @Tag("iwarp")
    void messagesOfAllLengthsComeWholeByWhicheverWayTheyAreSentAndCount() throws Exception {
        assertThat(pair.left().maxMessageSize()).isEqualTo(LONGEST);
        Random random = new Random(3);
        List<byte[]> sent = new ArrayList<>();
        for (int length : new int[] {0, 1, 3, 60, 61, 64, 65, 128, LONGEST - 1, LONGEST}) {
            for (int way = 0; way < WAYS; way++) {
                sent.add(random(random, length));
            }
        }
        CompletableFuture<List<byte[]>> received = CompletableFuture.supplyAsync(() -> {
            List<byte[]> messages = new ArrayList<>();
            while (messages.size() < sent.size()) {
                if (messages.size() % 3 == 0) {
                    messages.add(pair.right().receive(PATIENCE).orElseThrow());
                } else if (messages.size() % 3 == 1) {
                    assertThat(pair.right().receive(message -> messages.add(message.toBytes()), PATIENCE))
                            .isTrue();
                } else {
                    try (HeldMessage held = pair.right().receiveHeld(PATIENCE).orElseThrow()) {
                        messages.add(held.toBytes());
                    }
                }
            }
            return messages;
        });
        for (int i = 0; i < sent.size(); i++) {
            send(i % WAYS, sent.get(i));
        }
        assertThat(received.join()).usingElementComparator(Arrays::compare).isEqualTo(sent);
        assertThat(pair.left().integrity()).hasValue(new IntegrityCounters(sent.size(), 0, 0));
        assertThat(pair.right().integrity()).hasValue(new IntegrityCounters(0, sent.size(), 0));
        assertThatThrownBy(() -> pair.left().send(new byte[LONGEST + 1], PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("301 bytes");
    }

    @Test
    @Tag("iwarp")
    void sealedBlockIsVerifiedWhereItWasWrittenAndWhereItWasRead() {
        try (ExposedMemory exposed = pair.right().expose(1024, REMOTE_READ, REMOTE_WRITE);
                var local = pair.left().allocateMemory(1024)) {
            CompletableFuture<Void> serving =
                    CompletableFuture.runAsync(() -> pair.right().receive(PATIENCE));
            SealedBlock there = SealedBlock.of(exposed.segment());
            assertThatThrownBy(there::verify)
                    .isInstanceOf(CorruptBlockException.class)
                    .hasMessageContaining("nothing was sealed");

            SealedBlock written = SealedBlock.of(local.segment());
            written.data().fill((byte) 7);
            written.seal(41);
            pair.left().transfers().write(local.slice(), exposed.handle(), PATIENCE);
            assertThat(there.verify()).isEqualTo(41);

            there.data().fill((byte) 8);
            there.seal(42);
            pair.left().transfers().read(local.slice(), exposed.handle(), PATIENCE);
            assertThat(written.verify()).isEqualTo(42);
            assertThat(written.data().get(ValueLayout.JAVA_BYTE, 1007)).isEqualTo((byte) 8);

            // As if a part of the next write had come.
            pair.left().transfers().write(local.slice(0, 8), exposed.handle().slice(504, 8), PATIENCE);
            assertThat(there.verify()).isEqualTo(42);
            local.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 9);
            pair.left().transfers().write(local.slice(0, 8), exposed.handle().slice(504, 8), PATIENCE);
            assertThat(there.isIntact()).isFalse();
            assertThatThrownBy(there::verify)
                    .isInstanceOf(CorruptBlockException.class)
                    .hasMessageContaining("1008 bytes")
                    .hasMessageContaining("version 42");
            assertThat(pair.left().send(new byte[0], PATIENCE)).isTrue();
            serving.join();
        }
    }
}
