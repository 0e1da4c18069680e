// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EfaStandIn;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.EfaCapability;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.srd.SrdAddress;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpHandshake;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
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
    /** Statuses of efa_io_defs.h. */
    private static final int UNRESPONSIVE = 13;

    private static final int UNREACHABLE = 15;

    @AfterEach
    void close() {
        EfaStandIn.set("STATUS", 0);
        EfaStandIn.set("SEED", 1);
        assertThat(EfaStandIn.objects()).as("objects that the kernel has left").isZero();
    }

    /** Has an effect on every endpoint of a {@link Pair}, at the client or at the server. */
    void configure(EndpointConfig config, boolean server) {}

    /** Two endpoints of this process. */
    final class Pair implements AutoCloseable {
        final EndpointServer server;
        final Endpoint client;
        final Endpoint peer;

        Pair(Consumer<EndpointConfig> configuration) {
            this(configuration, configuration);
        }

        Pair(Consumer<EndpointConfig> atClient, Consumer<EndpointConfig> atServer) {
            server = EndpointServer.bind(ANY_PORT, config -> {
                configure(config, true);
                atServer.accept(config);
            });
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(LONG).orElseThrow());
            try {
                client = Endpoint.connect(
                        server.address(),
                        config -> {
                            configure(config, false);
                            atClient.accept(config);
                        },
                        LONG);
            } catch (Throwable e) {
                server.close();
                throw e;
            }
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

    private static boolean canWrite() {
        try (DeviceContext device = DeviceContext.open("efa_0")) {
            return device.queryEfa().capabilities().contains(EfaCapability.RDMA_WRITE);
        }
    }

    private static void echo(Endpoint endpoint, int count) {
        for (int i = 0; i < count; i++) {
            endpoint.send(endpoint.receive(LONG).orElseThrow(), LONG);
        }
    }

    // ---- Messages ----

    @Test
    void messagesOfAllLengthsArriveInOrder() {
        int longest = 5 * MTU;
        int[] lengths = {0, 1, 32, 33, 4096, MTU - 1, MTU, MTU + 1, 2 * MTU, 2 * MTU + 1, longest};
        try (Pair pair = new Pair(config -> config.maxMessageSize(longest).receiveBuffers(8))) {
            assertThat(pair.client.transport()).isEqualTo(Transport.RDMA);
            assertThat(pair.client).asString().contains("SRD");
            for (int seed = 1; seed <= 3; seed++) {
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

    /** It has more fragments than the send queue has entries. */
    @Test
    void veryLongMessageArrives() {
        int longest = 300 * MTU;
        try (Pair pair = new Pair(config ->
                config.maxMessageSize(longest).receiveBuffers(2).sendDepth(2).integrity(true))) {
            CompletableFuture<Boolean> sent =
                    CompletableFuture.supplyAsync(() -> pair.client.send(message(longest, 1), LONG));
            assertThat(pair.peer.receive(LONG)).hasValue(message(longest, 1));
            assertThat(sent.join()).isTrue();
        }
    }

    @Test
    void endpointsAnswerEachOther() {
        try (Pair pair = new Pair(config -> config.integrity(true))) {
            CompletableFuture<Void> echo = CompletableFuture.runAsync(() -> echo(pair.peer, 100));
            for (int i = 0; i < 100; i++) {
                pair.client.send(message(i, i), LONG);
                assertThat(pair.client.receive(LONG)).hasValue(message(i, i));
            }
            echo.join();
        }
    }

    @Test
    void threadsSleepUntilAMessageComes() {
        try (Pair pair = new Pair(config -> config.spinLimit(Duration.ZERO))) {
            CompletableFuture<Void> echo = CompletableFuture.runAsync(() -> echo(pair.peer, 30));
            for (int i = 0; i < 30; i++) {
                pair.client.send(message(i, i), LONG);
                assertThat(pair.client.receive(LONG)).hasValue(message(i, i));
            }
            echo.join();
        }
    }

    @Test
    void messageFromRegisteredMemoryIsNotCopied() {
        try (Pair pair = new Pair(config -> config.maxMessageSize(3 * MTU));
                MemoryRegion memory = pair.client.allocateMemory(3 * MTU)) {
            byte[] content = message(3 * MTU, 9);
            memory.segment().copyFrom(MemorySegment.ofArray(content));
            assertThat(pair.client.trySend(7, memory.slice())).isEqualTo(Endpoint.OK);
            assertThat(pair.peer.receive(LONG)).hasValue(content);
            List<Long> done = new ArrayList<>();
            while (done.isEmpty()) {
                pair.client.transfers().pollTransfers((id, previous, failure) -> done.add(id));
            }
            assertThat(done).containsExactly(7L);
        }
    }

    @Test
    void adapterSendsWhatThisThreadCannotCopy() {
        try (Arena arena = Arena.ofConfined();
                Pair pair = new Pair(config -> {})) {
            InPlaceDeviceTest.exchangeUnreadable(pair.client, pair.peer, arena);
        }
    }

    @Test
    void oneThreadServesSeveralClients() {
        List<Endpoint> clients = new ArrayList<>();
        List<Endpoint> peers = new ArrayList<>();
        try (EndpointServer server = EndpointServer.bind(ANY_PORT, config -> configure(config, true));
                EndpointSelector selector = EndpointSelector.open()) {
            selector.add(
                    server,
                    ready -> ready.accept(Duration.ZERO).ifPresent(peer -> {
                        peers.add(peer);
                        selector.add(peer, from -> from.poll(message -> from.trySend(message.segment())));
                    }));
            CompletableFuture<Void> answered = CompletableFuture.runAsync(() -> {
                for (byte i = 0; i < 5; i++) {
                    clients.add(Endpoint.connect(server.address(), config -> configure(config, false), LONG));
                    clients.get(i).send(new byte[] {i}, LONG);
                }
                for (byte i = 0; i < 5; i++) {
                    assertThat(clients.get(i).receive(LONG)).hasValue(new byte[] {i});
                }
            });
            while (!answered.isDone()) {
                selector.select(Duration.ofMillis(20));
            }
            answered.join();
        } finally {
            clients.forEach(Endpoint::abort);
            peers.forEach(Endpoint::abort);
        }
    }

    // ---- Transfers ----

    @Test
    void readFetchesExposedMemory() {
        try (Pair pair = new Pair(config -> {});
                ExposedMemory shared = pair.server.expose(MTU, REMOTE_READ);
                MemoryRegion local = pair.client.allocateMemory(MTU)) {
            byte[] content = message(MTU, 3);
            shared.segment().copyFrom(MemorySegment.ofArray(content));
            pair.client.transfers().read(local.slice(), shared.handle(), LONG);
            assertThat(local.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
            shared.segment().set(ValueLayout.JAVA_LONG, 8, 77);
            assertThat(pair.client.transfers().getLong(shared.handle(), 8, LONG))
                    .isEqualTo(77);
            try (GrantedMemory granted = pair.peer.grant(8, LONG, REMOTE_READ)) {
                assertThat(granted.whyNotExclusive().orElseThrow()).contains("no memory windows");
                assertThat(pair.client.transfers().getLong(granted.handle(), 0, LONG))
                        .isZero();
            }
        }
    }

    /** No thread is inside the client when its writes are done: the flusher sends the message behind them. */
    @Test
    void messageFollowsTheWritesBeforeIt() {
        assumeTrue(canWrite(), "needs rdma-core 46");
        int block = 4096;
        int blocks = 8;
        try (Pair pair = new Pair(config -> {});
                ExposedMemory shared = pair.peer.expose(blocks * block, REMOTE_READ, REMOTE_WRITE);
                MemoryRegion local = pair.client.allocateMemory(blocks * block)) {
            for (byte round = 1; round <= 20; round++) {
                EfaStandIn.set("SEED", round);
                local.segment().fill(round);
                for (int i = 0; i < blocks; i++) {
                    MemoryHandle there = shared.handle().slice((long) i * block, block);
                    assertThat(pair.client.transfers().tryWrite(i, local.slice((long) i * block, block), there))
                            .isEqualTo(Endpoint.OK);
                }
                pair.client.send(new byte[] {round}, LONG);
                assertThat(pair.peer.receive(LONG)).hasValue(new byte[] {round});
                byte[] expected = new byte[blocks * block];
                Arrays.fill(expected, round);
                assertThat(shared.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
                List<Long> done = new ArrayList<>();
                while (done.size() < blocks) {
                    pair.client.transfers().pollTransfers((id, previous, failure) -> done.add(id));
                }
                assertThat(done).isSorted();
            }
        }
    }

    @Test
    void lastWriteWinsAndAReadSeesIt() {
        assumeTrue(canWrite(), "needs rdma-core 46");
        try (Pair pair = new Pair(config -> {});
                ExposedMemory shared = pair.peer.expose(8, REMOTE_READ, REMOTE_WRITE)) {
            for (int round = 1; round <= 20; round++) {
                EfaStandIn.set("SEED", round);
                for (int i = 1; i < 5; i++) {
                    pair.client.transfers().putLongAsync(shared.handle(), 0, 100L * round + i);
                }
                assertThat(pair.client.transfers().getLong(shared.handle(), 0, LONG))
                        .isEqualTo(100L * round + 4);
            }
        }
    }

    @Test
    void operationsThatTheAdapterLacksAreRefusedWithTheReason() {
        try (Pair pair = new Pair(config -> {});
                ExposedMemory shared = pair.peer.expose(8, REMOTE_READ)) {
            RemoteMemory memory = shared.handle().memory();
            MemoryHandle atomic = new MemoryHandle(memory, Set.of(REMOTE_ATOMIC));
            assertThatThrownBy(() -> pair.client.transfers().fetchAndAdd(atomic, 1, LONG))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("an EFA has no atomic operations");
            if (!canWrite()) {
                MemoryHandle writable = new MemoryHandle(memory, Set.of(REMOTE_WRITE));
                assertThatThrownBy(() -> pair.client.transfers().putLong(writable, 0, 1, LONG))
                        .isInstanceOf(UnsupportedVerbException.class)
                        .hasMessageContaining("does not report RDMA_WRITE, which needs rdma-core 46 or later");
            }
            pair.client.send("still there".getBytes(), LONG);
            assertThat(pair.peer.receive(LONG)).hasValue("still there".getBytes());
        }
    }

    @Test
    void transferThatThePeersAdapterRefusesEndsTheConnection() {
        try (Pair pair = new Pair(config -> {});
                ExposedMemory shared = pair.peer.expose(8, REMOTE_READ)) {
            RemoteMemory forged = new RemoteMemory(
                    shared.handle().memory().address(),
                    8,
                    shared.handle().memory().remoteKey() + 1);
            assertThatThrownBy(() ->
                            pair.client.transfers().getLong(new MemoryHandle(forged, Set.of(REMOTE_READ)), 0, LONG))
                    .isInstanceOf(TransferException.class)
                    .hasMessageContaining("the remote key is wrong");
            assertThat(pair.client.isConnected()).isFalse();
        }
    }

    // ---- The end ----

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
    void failureOfTheAdapterIsALostConnectionWithItsReason() {
        try (Pair pair = new Pair(config -> {})) {
            EfaStandIn.set("STATUS", UNRESPONSIVE);
            assertThatThrownBy(() -> {
                        pair.client.send("to nobody".getBytes(), LONG);
                        pair.client.receive(LONG);
                    })
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("the peer has answered before and does not answer now");
        }
    }

    // ---- Which transport ----

    @Test
    void eitherTransportTakesSrdIfTheAdapterHasAllTransfers() {
        try (Pair pair = new Pair(config -> config.transport(Transport.RDMA_OR_TCP))) {
            pair.client.send("there".getBytes(), LONG);
            assertThat(pair.peer.receive(LONG)).hasValue("there".getBytes());
            if (canWrite()) {
                assertThat(pair.client.transport()).isEqualTo(Transport.RDMA);
                assertThat(pair.peer.transport()).isEqualTo(Transport.RDMA);
            } else {
                assertThat(pair.client.transport()).isEqualTo(Transport.TCP);
                assertThat(pair.client.rdmaFailure().orElseThrow())
                        .hasMessageContaining("does not report RDMA_WRITE, which transfers need")
                        .hasMessageContaining("rdma-core 46");
                assertThat(pair.server.rdmaFailure()).isPresent();
            }
        }
    }

    @Test
    void serverWithoutSrdGivesTcpOrRefuses() {
        Consumer<EndpointConfig> tcp = config -> config.transport(Transport.TCP);
        try (Pair pair = new Pair(config -> config.transport(Transport.RDMA_OR_TCP), tcp)) {
            assertThat(pair.client.transport()).isEqualTo(Transport.TCP);
            assertThat(pair.client.rdmaFailure().orElseThrow())
                    .hasMessageContaining(canWrite() ? "the server has no EFA, or does not use it" : "RDMA_WRITE");
        }
        try (EndpointServer server = EndpointServer.bind(ANY_PORT, tcp)) {
            Thread.startVirtualThread(() -> server.accept(Duration.ofSeconds(2)));
            assertThatThrownBy(() -> Endpoint.connect(server.address(), LONG))
                    .isInstanceOf(IncompatiblePeerException.class)
                    .hasMessageContaining("over SRD of its EFA alone");
        }
    }

    @Test
    void serverWithSrdAloneRefusesAClientOverTcp() {
        try (EndpointServer server = EndpointServer.bind(ANY_PORT)) {
            Thread.startVirtualThread(() -> server.accept(Duration.ofSeconds(2)));
            assertThatThrownBy(
                            () -> Endpoint.connect(server.address(), config -> config.transport(Transport.TCP), LONG))
                    .isInstanceOf(IncompatiblePeerException.class)
                    .hasMessageContaining("accepts clients over SRD of an EFA alone");
            assertThat(server.counters().incompatible()).isOne();
        }
    }

    /** As with a security group that drops what is not TCP. */
    @Test
    void pathThatDoesNotWorkGivesTcpWithTheReason() {
        assumeTrue(canWrite(), "needs rdma-core 46");
        EfaStandIn.set("STATUS", UNREACHABLE);
        try (Pair pair = new Pair(config -> config.transport(Transport.RDMA_OR_TCP))) {
            assertThat(pair.client.transport()).isEqualTo(Transport.TCP);
            assertThat(pair.client.rdmaFailure().orElseThrow()).hasMessageContaining("security group");
            pair.client.send("there".getBytes(), LONG);
            assertThat(pair.peer.receive(LONG)).hasValue("there".getBytes());
        }
    }

    /** The client says that its adapter sends so many bytes, and has memory of such a length to try the path with. */
    private static byte[] greeting(int maxSend, long probeLength) {
        byte[] hello = Hello.withDatagrams(new Hello(Hello.VERSION, 64, 4096, new byte[0]).toBytes(), true);
        ByteBuffer bytes = ByteBuffer.allocate(TcpHandshake.BYTES + SrdAddress.BYTES);
        bytes.put(hello).position(TcpHandshake.BYTES + Gid.LENGTH);
        return bytes.putInt(1)
                .putInt(1)
                .putInt(0)
                .putInt(maxSend)
                .putInt(MTU)
                .putLong(0)
                .putLong(probeLength)
                .array();
    }

    @Test
    void clientWithAWrongAddressDoesNotEndAccept() throws IOException {
        List<byte[]> greetings = List.of(greeting(0, 0), greeting(1, 0), greeting(MTU, -1));
        try (EndpointServer server = EndpointServer.bind(ANY_PORT, config -> configure(config, true))) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(LONG).orElseThrow());
            for (byte[] greeting : greetings) {
                InetSocketAddress address = server.address();
                try (Socket client = new Socket(address.getAddress(), address.getPort())) {
                    client.getOutputStream().write(greeting);
                    assertThat(client.getInputStream().readAllBytes()).isEmpty();
                }
            }
            try (Endpoint client = Endpoint.connect(server.address(), LONG)) {
                accepted.join().close();
            }
        }
    }

    /** With the default of 64 bytes of inline data and rdma-core 63, the adapter grants half as many requests. */
    @Test
    void sendQueueMayBeAsLongAsTheAdapterAllows() {
        int most = 4096 - Protocol.SEND_RESERVE;
        try (Pair pair = new Pair(config -> config.sendDepth(most).maxMessageSize(64))) {
            for (int length : new int[] {32, 33, 64}) {
                pair.client.send(message(length, length), LONG);
                assertThat(pair.peer.receive(LONG)).hasValue(message(length, length));
            }
        }
    }

    @Test
    void settingsThatNeedTooManyReceivesAreRefused() {
        try (EndpointServer server = EndpointServer.bind(ANY_PORT)) {
            assertThatThrownBy(() -> Endpoint.connect(
                            server.address(),
                            config -> config.maxMessageSize(1 << 24).receiveBuffers(64),
                            LONG))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("64 messages of 16777216 bytes need 131075 receives of 8192 bytes");
        }
    }
}
