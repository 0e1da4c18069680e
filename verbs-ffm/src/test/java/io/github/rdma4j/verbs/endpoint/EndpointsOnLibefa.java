// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rdma4j.verbs.EfaStandIn;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.device.EfaCapability;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Endpoints over SRD: libefa itself, on an adapter that a thread plays and that delivers in any order. */
@Timeout(120)
public class EndpointsOnLibefa {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int MTU = 8192;

    @AfterEach
    void close() {
        EfaStandIn.set("STATUS", 0);
        EfaStandIn.set("SEED", 1);
        assertThat(EfaStandIn.objects()).as("objects that the kernel has left").isZero();
    }

    /** Two endpoints of this process. */
    private static final class Pair implements AutoCloseable {
        final EndpointServer server;
        final Endpoint client;
        final Endpoint peer;

        Pair(Consumer<EndpointConfig> configuration) {
            server = EndpointServer.bind(ANY_PORT, configuration);
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(LONG).orElseThrow());
            client = Endpoint.connect(server.address(), configuration, LONG);
            peer = accepted.join();
        }

        @Override
        public void close() {
            client.abort();
            peer.abort();
            server.close();
        }
    }

    private static byte[] message(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @Test
    void messagesOfAllLengthsArriveInOrder() {
        int longest = 5 * MTU;
        int[] lengths = {0, 1, 32, 33, 4096, MTU - 1, MTU, MTU + 1, 2 * MTU, 2 * MTU + 1, longest};
        try (Pair pair = new Pair(config -> config.maxMessageSize(longest).receiveBuffers(8))) {
            assertThat(pair.client.transport()).isEqualTo(Transport.RDMA);
            assertThat(pair.client).asString().contains("SRD");
            for (int seed = 1; seed <= 5; seed++) {
                EfaStandIn.set("SEED", seed);
                CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> {
                    for (int length : lengths) {
                        assertThat(pair.client.send(message(length, length), LONG))
                                .isTrue();
                    }
                });
                for (int length : lengths) {
                    assertThat(pair.peer.receive(LONG)).hasValue(message(length, length));
                }
                sent.join();
            }
        }
    }

    @Test
    void endpointsAnswerEachOther() {
        try (Pair pair = new Pair(config -> config.integrity(true))) {
            CompletableFuture<Void> echo = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 200; i++) {
                    pair.peer.send(pair.peer.receive(LONG).orElseThrow(), LONG);
                }
            });
            for (int i = 0; i < 200; i++) {
                pair.client.send(message(i, i), LONG);
                assertThat(pair.client.receive(LONG)).hasValue(message(i, i));
            }
            echo.join();
        }
    }

    @Test
    void closeEndsWithTheLastMessage() {
        try (Pair pair = new Pair(config -> {})) {
            for (int i = 0; i < 20; i++) {
                pair.client.send(message(100, i), LONG);
            }
            pair.client.close();
            for (int i = 0; i < 20; i++) {
                assertThat(pair.peer.receive(LONG)).hasValue(message(100, i));
            }
            assertThatThrownBy(() -> pair.peer.receive(LONG)).isInstanceOf(ClosedByPeerException.class);
        }
    }

    @Test
    void abortIsALostConnection() {
        try (Pair pair = new Pair(config -> {})) {
            pair.client.abort();
            assertThatThrownBy(() -> pair.peer.receive(LONG))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("the peer ended the connection without closing its endpoint");
        }
    }

    @Test
    void readFetchesExposedMemory() {
        try (Pair pair = new Pair(config -> {});
                ExposedMemory shared = pair.peer.expose(MTU, REMOTE_READ);
                MemoryRegion local = pair.client.allocateMemory(MTU)) {
            byte[] content = message(MTU, 3);
            shared.segment().copyFrom(java.lang.foreign.MemorySegment.ofArray(content));
            pair.client.transfers().read(local.slice(), shared.handle(), LONG);
            assertThat(local.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
            shared.segment().set(ValueLayout.JAVA_LONG, 8, 77);
            assertThat(pair.client.transfers().getLong(shared.handle(), 8, LONG))
                    .isEqualTo(77);
        }
    }

    @Test
    void messageFollowsTheWritesBeforeIt() {
        try (Pair pair = new Pair(config -> {})) {
            assumeTrue(
                    pair.client
                            .protectionDomain()
                            .context()
                            .queryEfa()
                            .capabilities()
                            .contains(EfaCapability.RDMA_WRITE),
                    "needs rdma-core 46");
            try (ExposedMemory shared = pair.peer.expose(64 * 1024, REMOTE_READ, REMOTE_WRITE);
                    MemoryRegion local = pair.client.allocateMemory(64 * 1024)) {
                for (int round = 1; round <= 50; round++) {
                    EfaStandIn.set("SEED", round);
                    local.segment().fill((byte) round);
                    for (int i = 0; i < 8; i++) {
                        assertThat(pair.client
                                        .transfers()
                                        .tryWrite(
                                                i,
                                                local.slice(i * 8192L, 8192),
                                                shared.handle().slice(i * 8192L, 8192)))
                                .isEqualTo(Endpoint.OK);
                    }
                    pair.client.send(new byte[] {(byte) round}, LONG);
                    assertThat(pair.peer.receive(LONG)).hasValue(new byte[] {(byte) round});
                    byte[] seen = shared.segment().toArray(ValueLayout.JAVA_BYTE);
                    byte[] expected = new byte[seen.length];
                    Arrays.fill(expected, (byte) round);
                    assertThat(seen).isEqualTo(expected);
                    int[] done = new int[1];
                    while (done[0] < 8) {
                        pair.client.transfers().pollTransfers((id, previous, failure) -> done[0]++);
                    }
                }
            }
        }
    }

    @Test
    void atomicOperationIsRefusedWithTheReason() {
        try (Pair pair = new Pair(config -> {});
                ExposedMemory shared = pair.peer.expose(8, REMOTE_READ)) {
            MemoryHandle handle = new MemoryHandle(
                    shared.handle().memory(), java.util.Set.of(io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC));
            assertThatThrownBy(() -> pair.client.transfers().fetchAndAdd(handle, 1, LONG))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("an EFA has no atomic operations");
            pair.client.send("still there".getBytes(), LONG);
            assertThat(pair.peer.receive(LONG)).hasValue("still there".getBytes());
        }
    }
}
