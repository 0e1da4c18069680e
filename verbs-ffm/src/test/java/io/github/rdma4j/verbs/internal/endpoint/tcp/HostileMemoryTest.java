// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.tcp;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.endpoint.ConnectionLostException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.TcpPair;
import io.github.rdma4j.verbs.endpoint.TestSettings;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.github.rdma4j.verbs.internal.endpoint.connect.AdmissionControl;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory that clients over TCP can take from a server. The clients are sockets of the test. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileMemoryTest {
    /** docs/security.md states this bound, with the default of {@link EndpointConfig#receiveBuffers}. */
    private static final long HEAP_PER_CONNECTION = 64 << 10;

    private static final long HEAP_PER_HANDSHAKE = 8 << 10;

    private static final int CLIENTS = 1000;
    private static final int ANSWER = 4096;
    private static final int READS_PER_WRITE = 500;
    /** So that a thousand connections cost the kernel little. */
    private static final int KERNEL_BUFFER = 8192;

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final List<SocketChannel> clients = new ArrayList<>();
    private final List<Endpoint> endpoints = new ArrayList<>();
    private EndpointServer server;
    private RemoteMemory memory;

    @AfterEach
    void close() throws IOException {
        for (SocketChannel client : clients) {
            client.close();
        }
        endpoints.forEach(Endpoint::abort);
        server.close();
    }

    private void bind(Consumer<EndpointConfig> more) {
        server = EndpointServer.bind(
                TcpPair.ANY_PORT,
                config -> more.accept(config.transport(Transport.TCP).maxMessageSize(64)));
        memory = server.expose(1 << 16, REMOTE_READ, REMOTE_ATOMIC).handle().memory();
    }

    private SocketChannel connect() throws IOException {
        SocketChannel client = SocketChannel.open();
        clients.add(client);
        client.setOption(StandardSocketOptions.SO_RCVBUF, KERNEL_BUFFER);
        client.setOption(StandardSocketOptions.SO_SNDBUF, KERNEL_BUFFER);
        client.connect(server.address());
        return client;
    }

    private SocketChannel connectAndGreet() throws IOException {
        SocketChannel client = connect();
        ByteBuffer hello = ByteBuffer.allocate(TcpHandshake.BYTES)
                .put(TestSettings.of(config -> {}).hello().toBytes())
                .clear();
        while (hello.hasRemaining()) {
            client.write(hello);
        }
        endpoints.add(server.accept(PATIENCE).orElseThrow());
        return client;
    }

    /** Many requests, each for an answer. */
    private ByteBuffer requests(byte kind, int count, int length) {
        int size = TcpFrame.size(kind);
        MemorySegment frames = MemorySegment.ofArray(new byte[count * size]);
        for (int i = 0; i < count; i++) {
            TcpFrame.write(frames, i * (long) size, kind, (byte) 0, 0, 0, length);
            TcpFrame.writePlace(frames, i * (long) size, memory.address(), memory.remoteKey(), 0, 0);
        }
        return ByteBuffer.wrap(frames.toArray(ValueLayout.JAVA_BYTE));
    }

    private static long heap() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Without a silenceTimeout: the bound holds for as long as the clients like. */
    @Test
    void thousandClientsThatReadNoAnswerStayUnderTheBound() throws IOException {
        bind(config -> config.silenceTimeout(Duration.ZERO));
        connectAndGreet();
        ByteBuffer reads = requests(TcpFrame.READ, READS_PER_WRITE, ANSWER);
        ByteBuffer atomics = requests(TcpFrame.FETCH_AND_ADD, READS_PER_WRITE, 0);
        List<ByteBuffer> attacks = new ArrayList<>();
        long before = heap();
        for (int i = 0; i < CLIENTS; i++) {
            connectAndGreet().configureBlocking(false);
            attacks.add((i % 2 == 0 ? reads : atomics).duplicate());
        }
        long sent = 1;
        while (sent > 0) {
            sent = 0;
            for (int i = 0; i < CLIENTS; i++) {
                ByteBuffer attack = attacks.get(i);
                if (!attack.hasRemaining()) {
                    attack.clear();
                }
                sent += clients.get(i + 1).write(attack);
                endpoints.get(i + 1).poll(message -> {});
            }
            assertThat((heap() - before) / CLIENTS)
                    .as("bytes of heap for each connection")
                    .isLessThan(HEAP_PER_CONNECTION);
        }
        assertThat(endpoints).allMatch(Endpoint::isConnected);
    }

    @Test
    void thousandClientsThatSayHalfAHelloStayUnderTheBound() throws IOException {
        bind(config -> config.handshakeTimeout(Duration.ofHours(1)));
        connectAndGreet();
        ByteBuffer half =
                ByteBuffer.wrap(TestSettings.of(config -> {}).hello().toBytes()).limit(8);
        long before = heap();
        for (int i = 0; i < CLIENTS; i++) {
            connect().write(half.duplicate());
            if (i % AdmissionControl.MOST_AT_A_TIME == 0) {
                assertThat(server.accept(Duration.ZERO)).isEmpty();
            }
        }
        assertThat(server.accept(Duration.ZERO)).isEmpty();
        assertThat((heap() - before) / CLIENTS)
                .as("bytes of heap for each handshake")
                .isLessThan(HEAP_PER_HANDSHAKE);
    }

    @ParameterizedTest
    @ValueSource(bytes = {TcpFrame.READ, TcpFrame.COMPARE_AND_SWAP})
    void clientThatReadsNoAnswerIsDisconnectedAfterSilenceTimeout(byte kind) throws IOException {
        bind(config -> config.silenceTimeout(Duration.ofSeconds(1)));
        SocketChannel client = connectAndGreet();
        client.configureBlocking(false);
        ByteBuffer requests = requests(kind, READS_PER_WRITE, ANSWER);
        assertThatThrownBy(() -> {
                    while (true) {
                        client.write(requests);
                        if (!requests.hasRemaining()) {
                            requests.clear();
                        }
                        endpoints.getFirst().receive(Duration.ofMillis(10));
                    }
                })
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("has read none for 1 s (EndpointConfig.silenceTimeout)");
    }

    /** A client that is not of this version of the library may ask for more at a time than this side would. */
    @Test
    void clientThatReadsGetsAllAnswersHoweverManyItAsksForAtATime() throws IOException {
        int count = 2000;
        bind(config -> {});
        SocketChannel client = connectAndGreet();
        Endpoint endpoint = endpoints.getFirst();
        CompletableFuture<Void> asked = CompletableFuture.runAsync(() -> {
            try {
                ByteBuffer requests = requests(TcpFrame.READ, count, ANSWER);
                while (requests.hasRemaining()) {
                    client.write(requests);
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        CompletableFuture.runAsync(endpoint::progressLoop);
        DataInputStream in = new DataInputStream(client.socket().getInputStream());
        byte[] frame = new byte[TcpFrame.HEADER + ANSWER];
        in.readFully(new byte[TcpHandshake.BYTES]);
        for (int i = 0; i < count; i++) {
            in.readFully(frame);
            assertThat(TcpFrame.kind(MemorySegment.ofArray(frame), 0)).isEqualTo(TcpFrame.DATA);
            assertThat(TcpFrame.count(MemorySegment.ofArray(frame), 0)).isEqualTo(i);
        }
        asked.join();
        assertThat(endpoint.isConnected()).isTrue();
    }
}
