// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.tcp;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.endpoint.ClosedByPeerException;
import io.github.rdma4j.verbs.endpoint.ConnectionLostException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointException;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.ExposedMemory;
import io.github.rdma4j.verbs.endpoint.GrantedMemory;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import io.github.rdma4j.verbs.endpoint.TcpPair;
import io.github.rdma4j.verbs.endpoint.TestSettings;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.failover.Failover;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer over TCP that finishes the handshake and then sends invalid messages. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileTcpTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final byte SECRET = 0x77;

    /** {@code -Drdma4j.fuzz.connections=N} plays more than usual, {@code -Drdma4j.fuzz.seed=N} others. */
    private static final int CONNECTIONS = Integer.getInteger("rdma4j.fuzz.connections", 300);

    private static final long SEED = Long.getLong("rdma4j.fuzz.seed", 0);

    private EndpointServer server;
    private Transport transport;
    private ExposedMemory exposed;
    private RemoteMemory memory;

    private void bind(Transport newTransport) {
        if (server != null) {
            close();
        }
        transport = newTransport;
        server = EndpointServer.bind(
                TcpPair.ANY_PORT,
                config -> config.transport(transport)
                        .receiveBuffers(2)
                        .sendDepth(128)
                        .maxMessageSize(64));
        exposed = server.expose(4096, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
        memory = exposed.handle().memory();
    }

    @BeforeEach
    void bind() {
        bind(Transport.TCP);
    }

    @AfterEach
    void close() {
        server.close();
        exposed.close();
    }

    private interface Attack {
        void on(OutputStream out, InputStream in) throws IOException;
    }

    /** The endpoint that the server has accepted. */
    private Endpoint attacked(Attack attack) throws IOException {
        try (Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort())) {
            Endpoint endpoint = greet(socket);
            attack.on(socket.getOutputStream(), socket.getInputStream());
            return endpoint;
        }
    }

    private Endpoint greet(Socket socket) throws IOException {
        CompletableFuture<Endpoint> accepted =
                CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
        EndpointSettings settings = TestSettings.of(config -> config.transport(transport));
        byte[] hello = Failover.hello(settings, settings.hello());
        socket.getOutputStream().write(Arrays.copyOf(hello, TcpHandshake.BYTES));
        socket.getInputStream().readNBytes(TcpHandshake.BYTES);
        Endpoint endpoint = accepted.join();
        assertThat(endpoint.toString())
                .startsWith(transport == Transport.TCP ? "endpoint TCP" : "endpoint RDMA or TCP");
        return endpoint;
    }

    private static byte[] frame(byte kind, int count, int frame, int length, long address, int key) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[TcpFrame.size(kind)]);
        TcpFrame.write(bytes, 0, kind, (byte) 0, count, frame, length);
        if (bytes.byteSize() > TcpFrame.HEADER) {
            TcpFrame.writePlace(bytes, 0, address, key, 1, 2);
        }
        return bytes.toArray(ValueLayout.JAVA_BYTE);
    }

    private void isEnded(String how, Attack attack) throws IOException {
        try (Endpoint endpoint = attacked(attack)) {
            assertThatThrownBy(() -> {
                        while (endpoint.receive(PATIENCE).isPresent()) {
                            // Messages that came before the attack are still delivered.
                        }
                    })
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining(how);
        }
    }

    /** With failover on a machine without RDMA, as everywhere below: its connection over TCP has the same peers. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_WITH_FAILOVER"})
    void protocolViolationEndsTheConnectionWithTheReason(Transport newTransport) throws IOException {
        bind(newTransport);
        int data = Frame.of(Frame.MESSAGE, 0);
        isEnded("unknown kind", (out, in) -> out.write(new byte[] {77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
        isEnded("unknown kind", (out, in) -> out.write(frame(TcpFrame.MESSAGE, 0, 0x7f0000, 0, 0, 0)));
        isEnded("more acknowledgements", (out, in) -> out.write(frame(TcpFrame.ACKNOWLEDGEMENT, 1, 0, 0, 0, 0)));
        isEnded("nobody waits for", (out, in) -> out.write(frame(TcpFrame.DATA, 0, 0, 8, 0, 0)));
        isEnded("nobody waits for", (out, in) -> out.write(frame(TcpFrame.VALUE, 0, 0, 0, 0, 0)));
        isEnded("nobody waits for", (out, in) -> out.write(frame(TcpFrame.REFUSED, 0, 0, 0, 0, 0)));
        isEnded("negative length", (out, in) -> out.write(frame(TcpFrame.MESSAGE, 0, data, -1, 0, 0)));
        for (int kind = Frame.MESSAGE; kind <= Frame.TRIAL; kind++) {
            int frame = Frame.of(kind, 0);
            isEnded("longer than a buffer", (out, in) -> out.write(frame(TcpFrame.MESSAGE, 0, frame, 1 << 20, 0, 0)));
        }
        isEnded(
                "more credits than it has buffers",
                (out, in) -> out.write(frame(TcpFrame.MESSAGE, 0, Frame.of(Frame.CREDIT, 1), 0, 0, 0)));
        isEnded("no credit", (out, in) -> {
            for (int i = 0; i < 3; i++) {
                out.write(frame(TcpFrame.MESSAGE, 0, data, 0, 0, 0));
            }
        });
        isEnded(
                "may not use",
                (out, in) -> out.write(frame(TcpFrame.READ, 0, 0, 8, memory.address(), memory.remoteKey() + 1)));
        isEnded(
                "may not use",
                (out, in) -> out.write(
                        frame(TcpFrame.WRITE, 0, 0, Integer.MAX_VALUE, memory.address(), memory.remoteKey())));
        isEnded(
                "no multiple of 8",
                (out, in) ->
                        out.write(frame(TcpFrame.FETCH_AND_ADD, 0, 0, 0, memory.address() + 4, memory.remoteKey())));
        isEnded("without closing", (out, in) -> out.write(frame(TcpFrame.MESSAGE, 0, data, 64, 0, 0)));
    }

    /** Otherwise a write would complete before its bytes are sent, and frames would wait without a bound. */
    @Test
    void requestThatWasNotSentCannotBeCounted() throws IOException {
        int more = 1 << 26;
        try (Socket socket = new Socket(
                        server.address().getAddress(), server.address().getPort());
                Endpoint endpoint = greet(socket);
                MemoryRegion own = MemoryRegion.withoutAdapter(more, LOCAL_WRITE)) {
            MemoryHandle anything = new MemoryHandle(new RemoteMemory(0, more, 0), Set.of(REMOTE_WRITE));
            CompletableFuture<Void> write = endpoint.transfers().writeAsync(own.slice(), anything);
            CompletableFuture<Void> message = endpoint.sendAsync(new byte[8]);
            socket.getOutputStream().write(frame(TcpFrame.ACKNOWLEDGEMENT, 2, 0, 0, 0, 0));
            assertThatThrownBy(() -> endpoint.receive(PATIENCE))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("more acknowledgements");
            assertThat(write).isCompletedExceptionally();
            assertThat(message).isCompletedExceptionally();
        }
    }

    /** Of more reads than the peer answers at a time, the last one is held back. */
    @Test
    void requestThatWasNotSentCannotBeAnswered() throws IOException {
        int sent = TcpFrame.answers(TestSettings.of(config -> {}).hello().receiveBuffers());
        try (Socket socket = new Socket(
                        server.address().getAddress(), server.address().getPort());
                Endpoint endpoint = greet(socket)) {
            MemoryHandle anything = new MemoryHandle(new RemoteMemory(0, 8, 0), Set.of(REMOTE_ATOMIC));
            List<CompletableFuture<Long>> added = new ArrayList<>();
            for (int i = 0; i <= sent; i++) {
                added.add(endpoint.transfers().fetchAndAddAsync(anything, 1));
            }
            byte[] answers = new byte[(sent + 1) * TcpFrame.size(TcpFrame.VALUE)];
            for (int i = 0; i <= sent; i++) {
                byte[] answer = frame(TcpFrame.VALUE, i, 0, 0, 0, 0);
                System.arraycopy(answer, 0, answers, i * answer.length, answer.length);
            }
            socket.getOutputStream().write(answers);
            assertThatThrownBy(() -> endpoint.receive(PATIENCE))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("nobody waits for");
            assertThat(added.removeLast()).isCompletedExceptionally();
            assertThat(added).allMatch(one -> one.state() == Future.State.SUCCESS);
        }
    }

    @Test
    void refusalNamesItsReason() throws IOException {
        try (Endpoint endpoint = attacked((out, in) -> {
            out.write(frame(TcpFrame.READ, 0, 0, 8, memory.address() + 4089, memory.remoteKey()));
            // The server's program serves it below; the answer is not awaited.
        })) {
            assertThatThrownBy(() -> endpoint.receive(PATIENCE))
                    .hasMessageContaining("8 bytes at 0x%x, for REMOTE_READ".formatted(memory.address() + 4089));
        }
    }

    @Test
    void writeThatHasBegunEndsWithTheGrant() throws IOException {
        try (Socket socket = new Socket(
                        server.address().getAddress(), server.address().getPort());
                Endpoint endpoint = greet(socket);
                MemoryRegion own = MemoryRegion.withoutAdapter(64, LOCAL_WRITE)) {
            GrantedMemory granted = endpoint.grant(own.slice(), PATIENCE, REMOTE_WRITE);
            RemoteMemory there = granted.handle().memory();
            byte[] half = new byte[32];
            Arrays.fill(half, (byte) 1);
            socket.getOutputStream().write(frame(TcpFrame.WRITE, 0, 0, 64, there.address(), there.remoteKey()));
            socket.getOutputStream().write(half);
            while (own.segment().get(ValueLayout.JAVA_BYTE, 31) == 0) {
                endpoint.poll(message -> {});
            }
            granted.close();
            socket.getOutputStream().write(half);
            assertThatThrownBy(() -> endpoint.receive(PATIENCE))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("its owner has closed it");
            assertThat(own.segment().get(ValueLayout.JAVA_BYTE, 32)).isZero();
        }
    }

    /** An adapter registers memory of a confined arena, and over TCP other threads serve it. */
    @Test
    void memoryOfAnotherThreadsArenaIsRefused() throws Exception {
        MemorySegment confined = CompletableFuture.supplyAsync(
                        () -> exposed.segment().reinterpret(Arena.ofConfined(), null))
                .join();
        Field field = MemoryRegion.class.getDeclaredField("memory");
        field.setAccessible(true);
        field.set(exposed.region(), confined);
        for (byte kind : new byte[] {TcpFrame.COMPARE_AND_SWAP, TcpFrame.FETCH_AND_ADD, TcpFrame.WRITE}) {
            isEnded("its arena is confined to another thread", (out, in) -> {
                out.write(frame(kind, 0, 0, 8, memory.address(), memory.remoteKey()));
                out.write(new byte[8]);
            });
        }
        isEnded(
                "outside owning thread",
                (out, in) -> out.write(frame(TcpFrame.READ, 0, 0, 8, memory.address(), memory.remoteKey())));
    }

    @Test
    void answerThatHasBegunEndsWithTheGrant() throws IOException {
        int length = 1 << 24;
        try (Socket socket = new Socket(
                        server.address().getAddress(), server.address().getPort());
                Endpoint endpoint = greet(socket);
                MemoryRegion own = MemoryRegion.withoutAdapter(length, LOCAL_WRITE)) {
            GrantedMemory granted = endpoint.grant(own.slice(), PATIENCE, REMOTE_READ);
            RemoteMemory there = granted.handle().memory();
            socket.getOutputStream().write(frame(TcpFrame.READ, 0, 0, length, there.address(), there.remoteKey()));
            while (socket.getInputStream().available() == 0) {
                endpoint.poll(message -> {});
            }
            granted.close();
            own.segment().fill(SECRET);
            CompletableFuture<Boolean> seen = CompletableFuture.supplyAsync(() -> hasSecret(socket));
            assertThatThrownBy(() -> endpoint.receive(PATIENCE))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("the memory of a transfer cannot be sent any more");
            endpoint.abort();
            assertThat(seen.join()).isFalse();
        }
    }

    private static boolean hasSecret(Socket socket) {
        byte[] some = new byte[1 << 16];
        try {
            for (int count = 0; count >= 0; count = socket.getInputStream().read(some)) {
                for (int i = 0; i < count; i++) {
                    if (some[i] == SECRET) {
                        return true;
                    }
                }
            }
        } catch (IOException e) {
            // The server has ended the connection.
        }
        return false;
    }

    /** Frames in any order with any content, some of them right: the endpoint ends in words, or goes on. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_WITH_FAILOVER"})
    void noBytesMakeAnEndpointFailOtherwise(Transport newTransport) throws IOException {
        bind(newTransport);
        for (long seed = SEED; seed < SEED + CONNECTIONS / 2; seed++) {
            Random random = new Random(seed);
            try (Endpoint endpoint = attacked((out, in) -> {
                try {
                    for (int i = random.nextInt(12); i >= 0; i--) {
                        out.write(frame(
                                (byte) (1 + random.nextInt(10)),
                                random.nextInt(4) == 0 ? random.nextInt() : 0,
                                random.nextBoolean() ? 0 : random.nextInt(4) << 16 | random.nextInt(3),
                                random.nextInt(16) == 0 ? random.nextInt() : random.nextInt(80),
                                memory.address() + (random.nextBoolean() ? 0 : random.nextInt(5000) - 100),
                                random.nextInt(8) == 0 ? random.nextInt() : memory.remoteKey()));
                        byte[] noise = new byte[random.nextInt(3) == 0 ? random.nextInt(200) : 0];
                        random.nextBytes(noise);
                        out.write(noise);
                    }
                } catch (IOException e) {
                    // The server has ended the connection already.
                }
            })) {
                try {
                    while (endpoint.receive(PATIENCE).isPresent()) {
                        // And the next one.
                    }
                    throw new AssertionError("seed " + seed + ": the end of the connection was not noticed");
                } catch (EndpointException e) {
                    assertThat(e).isInstanceOfAny(ConnectionLostException.class, ClosedByPeerException.class);
                } catch (RuntimeException e) {
                    throw new AssertionError("seed " + seed, e);
                }
            }
        }
    }
}
