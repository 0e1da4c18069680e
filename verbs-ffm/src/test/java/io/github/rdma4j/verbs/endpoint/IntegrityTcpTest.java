// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpFrame;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpHandshake;
import io.github.rdma4j.verbs.internal.events.Recorded;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link IntegrityContract} over TCP, and tests with a wire that changes a byte. */
class IntegrityTcpTest extends IntegrityContract {
    @Override
    Ends pair() {
        return new TcpPair(SUMS);
    }

    /** Between a client and a server; changes one byte of a message on its way to the server. */
    private static final class Relay implements AutoCloseable {
        private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final Socket server;
        private Socket client;
        /** Which message is changed, from 1; 0 for none. */
        final AtomicInteger victim = new AtomicInteger();

        Relay(InetSocketAddress to) throws IOException {
            server = new Socket(to.getAddress(), to.getPort());
            Thread.ofVirtual().start(this::run);
        }

        InetSocketAddress address() {
            return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
        }

        private void run() {
            try {
                client = listener.accept();
                Thread.ofVirtual().start(this::back);
                DataInputStream in = new DataInputStream(client.getInputStream());
                OutputStream out = server.getOutputStream();
                out.write(in.readNBytes(TcpHandshake.BYTES));
                int messages = 0;
                while (true) {
                    byte[] header = new byte[TcpFrame.HEADER];
                    in.readFully(header);
                    MemorySegment frame = MemorySegment.ofArray(header);
                    byte[] rest = in.readNBytes(TcpFrame.size(TcpFrame.kind(frame, 0))
                            - TcpFrame.HEADER
                            + (TcpFrame.hasData(TcpFrame.kind(frame, 0)) ? TcpFrame.length(frame, 0) : 0));
                    if (rest.length > 0 && ++messages == victim.get()) {
                        rest[rest.length / 2] ^= 0x10;
                    }
                    out.write(header);
                    out.write(rest);
                }
            } catch (IOException e) {
                close();
            }
        }

        private void back() {
            try {
                server.getInputStream().transferTo(client.getOutputStream());
                client.shutdownOutput();
            } catch (IOException e) {
                // The other direction has closed or will close both sockets.
            }
        }

        @Override
        public void close() {
            for (AutoCloseable each : new AutoCloseable[] {listener, server, client}) {
                try {
                    if (each != null) {
                        each.close();
                    }
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void byteThatIsChangedOnTheWireIsFoundWithSumsAndReceivedWithout(boolean sums) throws Exception {
        try (Recorded recorded = new Recorded();
                EndpointServer server = EndpointServer.bind(
                        TcpPair.ANY_PORT,
                        config -> SUMS.andThen(c -> c.integrity(sums)).accept(config.transport(Transport.TCP)));
                Relay relay = new Relay(server.address())) {
            relay.victim.set(3);
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            try (Endpoint client = Endpoint.connect(
                            relay.address(),
                            config -> SUMS.andThen(c -> c.integrity(sums)).accept(config.transport(Transport.TCP)),
                            PATIENCE);
                    Endpoint atServer = accepted.join()) {
                byte[] message = new byte[100];
                for (int i = 0; i < 4; i++) {
                    Arrays.fill(message, (byte) i);
                    assertThat(client.send(message, PATIENCE)).isTrue();
                }
                assertThat(atServer.receive(PATIENCE)).hasValue(new byte[100]);
                assertThat(atServer.receive(PATIENCE).orElseThrow()).containsOnly(1);
                if (!sums) {
                    assertThat(atServer.receive(PATIENCE).orElseThrow()[50]).isEqualTo((byte) (2 ^ 0x10));
                    assertThat(atServer.integrity()).isEmpty();
                    client.abort();
                    corruptMessages(recorded, 0);
                    return;
                }
                for (int i = 0; i < 2; i++) {
                    assertThatThrownBy(() -> atServer.receive(PATIENCE))
                            .isInstanceOfSatisfying(CorruptMessageException.class, e -> {
                                assertThat(e.number()).isEqualTo(3);
                                assertThat(e.length()).isEqualTo(100);
                                assertThat(e.expectedSum()).isNotEqualTo(e.foundSum());
                                assertThat(e.getMessage())
                                        .contains("receiving from endpoint TCP")
                                        .contains("message 3 of")
                                        .contains("100 bytes")
                                        .contains("0x%08x".formatted(e.expectedSum()))
                                        .contains("0x%08x".formatted(e.foundSum()))
                                        .contains("Look for failing memory");
                            });
                }
                assertThat(atServer.integrity()).hasValue(new IntegrityCounters(0, 2, 1));
                assertThatThrownBy(() -> client.receive(PATIENCE)).isInstanceOf(ConnectionLostException.class);
                RecordedEvent event = corruptMessages(recorded, 1).getFirst();
                assertThat(event.getLong("number")).isEqualTo(3);
                assertThat(event.getLong("length")).isEqualTo(100);
                assertThat(event.getInt("expectedSum")).isNotEqualTo(event.getInt("foundSum"));
                assertThat(event.getString("endpoint")).startsWith("endpoint TCP");
            }
        }
    }

    private static List<RecordedEvent> corruptMessages(Recorded recorded, int number) throws IOException {
        List<RecordedEvent> events = Recorded.of(recorded.end(), "rdma4j.CorruptMessage");
        assertThat(events).hasSize(number);
        return events;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void differenceIsRefusedWithARemedy(boolean atServer) {
        try (EndpointServer server = EndpointServer.bind(
                TcpPair.ANY_PORT, config -> config.transport(Transport.TCP).integrity(atServer))) {
            CompletableFuture<Boolean> accepted = CompletableFuture.supplyAsync(() -> acceptsSomebody(server));
            assertThatThrownBy(() -> Endpoint.connect(
                            server.address(),
                            config -> config.transport(Transport.TCP).integrity(!atServer),
                            PATIENCE))
                    .isInstanceOf(IncompatiblePeerException.class)
                    .hasMessageContaining(
                            atServer ? "the server puts a sum behind each message" : "this side puts a sum behind")
                    .hasMessageContaining("integrity(true) on both sides, or on neither");
            assertThat(accepted.join()).isFalse();
            assertThat(server.counters()).isEqualTo(new ServerCounters(0, 0, 1, 0));
        }
    }

    @Test
    void messageWithoutASumEndsTheConnection() throws Exception {
        try (EndpointServer server =
                EndpointServer.bind(TcpPair.ANY_PORT, config -> SUMS.accept(config.transport(Transport.TCP)))) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            try (Socket socket =
                    new Socket(server.address().getAddress(), server.address().getPort())) {
                byte[] hello = TestSettings.of(config -> config.integrity(true))
                        .hello()
                        .toBytes();
                socket.getOutputStream().write(Arrays.copyOf(hello, TcpHandshake.BYTES));
                socket.getInputStream().readNBytes(TcpHandshake.BYTES);
                MemorySegment frame = MemorySegment.ofArray(new byte[TcpFrame.HEADER + 3]);
                TcpFrame.write(frame, 0, TcpFrame.MESSAGE, (byte) 0, 0, Frame.of(Frame.MESSAGE, 0), 3);
                socket.getOutputStream().write(frame.toArray(ValueLayout.JAVA_BYTE));
                try (Endpoint endpoint = accepted.join()) {
                    assertThatThrownBy(() -> endpoint.receive(PATIENCE))
                            .isInstanceOf(ConnectionLostException.class)
                            .hasMessageContaining("a message without a sum");
                }
            }
        }
    }

    @Test
    void longestMessageLeavesSpaceForItsChecksum() {
        assertThatThrownBy(() -> EndpointServer.bind(
                        TcpPair.ANY_PORT,
                        config ->
                                config.transport(Transport.TCP).integrity(true).maxMessageSize(1 << 26)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 67108860");
    }
}
