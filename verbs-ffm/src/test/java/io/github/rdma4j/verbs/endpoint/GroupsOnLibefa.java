// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.AddressHandle;
import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EfaStandIn;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.SrdQueuePair;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.internal.endpoint.group.GroupWire;
import io.github.rdma4j.verbs.internal.endpoint.group.Member;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.srd.SrdAddress;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpHandshake;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All that {@link EndpointsOnLibefa} does, with endpoints that share an SRD queue pair, and what only these do. */
public class GroupsOnLibefa extends EndpointsOnLibefa {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int MTU = 8192;
    private static final int MORE_FRAGMENTS = 1 << 29;
    private static final ValueLayout.OfInt NUMBER = ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    private final EndpointGroup servers = EndpointGroup.open();
    private final EndpointGroup clients = EndpointGroup.open();

    @Override
    void configure(EndpointConfig config, boolean server) {
        config.group(server ? servers : clients);
    }

    @AfterEach
    @Override
    void close() {
        servers.close();
        clients.close();
        super.close();
    }

    private static byte[] message(int peer, int number) {
        byte[] bytes = new byte[number == 3 ? 3 * MTU : 8 + number];
        bytes[0] = (byte) peer;
        bytes[1] = (byte) number;
        bytes[bytes.length - 1] = (byte) (peer + number);
        return bytes;
    }

    /** The hello of a client without rdma4j's code behind it, whose queue pair is its own. */
    private static byte[] greeting(SrdQueuePair pair) {
        byte[] hello = Hello.withDatagrams(new Hello(Hello.VERSION, 4, 4096, new byte[0]).toBytes(), true);
        ByteBuffer bytes = ByteBuffer.allocate(TcpHandshake.BYTES + SrdAddress.BYTES);
        bytes.put(hello).position(TcpHandshake.BYTES);
        return bytes.put(pair.protectionDomain().context().gidAddress(1, 0).bytes())
                .putInt(pair.number())
                .putInt(1)
                .putInt(0)
                .putInt(MTU)
                .putInt(MTU)
                .array();
    }

    /** It sends more than it may or a fragment, what has a number that no endpoint has, and what has none. */
    @ParameterizedTest
    @ValueSource(ints = {0, MORE_FRAGMENTS})
    void hostilePeerHarmsOnlyItself(int flag) throws IOException {
        try (Pair good = new Pair(config -> config.receiveBuffers(4));
                DeviceContext device = DeviceContext.open("efa_0");
                ProtectionDomain domain = device.allocateProtectionDomain();
                CompletionQueue queue = device.createCompletionQueue(256);
                SrdQueuePair pair = domain.createSrdQueuePair(
                        config -> config.completionQueue(queue).queueKey(1));
                MemoryRegion memory = domain.allocateMemory(64, AccessFlag.LOCAL_WRITE);
                Socket socket = new Socket(
                        good.server.address().getAddress(),
                        good.server.address().getPort())) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> good.server.accept(LONG).orElseThrow());
            socket.getOutputStream().write(greeting(pair));
            ByteBuffer answer =
                    ByteBuffer.wrap(socket.getInputStream().readNBytes(TcpHandshake.BYTES + SrdAddress.BYTES));
            byte[] gid = new byte[Gid.LENGTH];
            answer.position(TcpHandshake.BYTES).get(gid);
            try (AddressHandle handle = domain.createAddressHandle(AddressHandleAttributes.toGid(1, 0, Gid.of(gid)))) {
                Destination destination = Destination.of(handle, answer.getInt(), answer.getInt());
                int number = answer.getInt();
                socket.getOutputStream().write(1);
                try (Endpoint bad = accepted.join()) {
                    assertThat(servers.queues()).isEqualTo(1);
                    WorkCompletions completions = WorkCompletions.allocate(1);
                    int[] numbers = {number, number + 1, 0};
                    for (int i = 0; i < 60; i++) {
                        memory.segment().set(NUMBER, 4, numbers[i % 3]);
                        int immediate = i / 3 - 8 << 14 & MORE_FRAGMENTS - 1 | flag;
                        assertThat(pair.tryPostSendWithImmediate(
                                        i, memory.slice(3, i % 4 == 3 ? 2 : 5), immediate, destination))
                                .isTrue();
                        while (queue.poll(completions) == 0) {
                            Thread.onSpinWait();
                        }
                        good.client.send(new byte[] {(byte) i}, LONG);
                        assertThat(good.peer.receive(LONG)).hasValue(new byte[] {(byte) i});
                    }
                    assertThatThrownBy(() -> {
                                while (bad.receive(Duration.ZERO).isPresent()) {}
                                bad.receive(LONG);
                            })
                            .isInstanceOf(ConnectionLostException.class)
                            .hasMessageContaining("does not keep to the endpoint protocol");
                }
            }
        }
    }

    /** One of two clients has all entries of the send queue that it can have, and so none for its message. */
    @Test
    void requestWaitsForAnEntryOfTheSendQueueAndOthersHaveSome() {
        byte[] message = {1, 2, 3};
        try (Pair greedy = new Pair(config -> {});
                Pair other = new Pair(config -> {})) {
            Member member = ((GroupWire) greedy.client.engine().transport()).member();
            int taken = 0;
            while (taken < 5000 && member.mayPost()) {
                taken++;
            }
            assertThat(taken).isBetween(100, 4096 - 100);
            other.client.send(message, LONG);
            assertThat(other.peer.receive(LONG)).hasValue(message);
            assertThat(greedy.client.send(message, LONG)).isTrue();
            assertThat(greedy.peer.receive(Duration.ofMillis(5))).isEmpty();
            while (taken-- > 0) {
                member.entryIsFree();
            }
            assertThat(greedy.peer.receive(LONG)).hasValue(message);
        }
    }

    @Test
    void sleepingSelectorNoticesThatAPeerHasGone() {
        try (Pair pair = new Pair(config -> {});
                Pair other = new Pair(config -> {});
                EndpointSelector selector = EndpointSelector.open()) {
            List<Endpoint> lost = new ArrayList<>();
            Consumer<Endpoint> handler = endpoint -> {
                if (!endpoint.isConnected()) {
                    lost.add(endpoint);
                    selector.remove(endpoint);
                }
            };
            selector.add(pair.peer, handler);
            selector.add(other.peer, handler);
            selector.select(Duration.ofMillis(1));
            CompletableFuture<Void> aborted = CompletableFuture.runAsync(pair.client::abort);
            while (lost.isEmpty()) {
                selector.select(LONG);
            }
            aborted.join();
            assertThat(lost).containsExactly(pair.peer);
            other.client.send(new byte[1], LONG);
            assertThat(other.peer.receive(LONG)).hasValue(new byte[1]);
        }
    }

    /** Half of the clients are of a group, and half are not. */
    @Test
    void manyPeersShareOneQueuePair() {
        int peers = 24;
        List<Endpoint> ends = new ArrayList<>();
        try (EndpointServer server = EndpointServer.bind(
                ANY_PORT,
                config -> config.group(servers).maxMessageSize(3 * MTU).receiveBuffers(4))) {
            List<Endpoint> accepted = new ArrayList<>();
            List<Endpoint> connected = new ArrayList<>();
            for (int i = 0; i < peers; i++) {
                boolean inGroup = i % 2 == 0;
                CompletableFuture<Endpoint> next =
                        CompletableFuture.supplyAsync(() -> server.accept(LONG).orElseThrow());
                connected.add(Endpoint.connect(
                        server.address(),
                        config -> {
                            config.maxMessageSize(3 * MTU).receiveBuffers(4);
                            if (inGroup) {
                                config.group(clients);
                            }
                        },
                        LONG));
                accepted.add(next.join());
            }
            ends.addAll(accepted);
            ends.addAll(connected);
            assertThat(servers.size()).isEqualTo(peers);
            assertThat(servers.queues()).isEqualTo(1);
            assertThat(clients.size()).isEqualTo(peers / 2);
            assertThat(clients.queues()).isEqualTo(1);
            for (int seed = 1; seed <= 2; seed++) {
                EfaStandIn.set("SEED", seed);
                for (int number = 0; number < 4; number++) {
                    for (int i = 0; i < peers; i++) {
                        assertThat(connected.get(i).send(message(i, number), LONG))
                                .isTrue();
                        assertThat(accepted.get(i).send(message(i + 100, number), LONG))
                                .isTrue();
                    }
                }
                for (int number = 0; number < 4; number++) {
                    for (int i = peers - 1; i >= 0; i--) {
                        assertThat(accepted.get(i).receive(LONG)).hasValue(message(i, number));
                        assertThat(connected.get(i).receive(LONG)).hasValue(message(i + 100, number));
                    }
                }
            }
        } finally {
            ends.forEach(Endpoint::abort);
        }
    }
}
