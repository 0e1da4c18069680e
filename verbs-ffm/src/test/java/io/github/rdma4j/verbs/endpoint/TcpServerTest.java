// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.StreamSocket;
import io.github.rdma4j.verbs.internal.endpoint.connect.Acceptor;
import io.github.rdma4j.verbs.internal.endpoint.connect.AdmissionControl;
import io.github.rdma4j.verbs.internal.endpoint.connect.PathProbe;
import io.github.rdma4j.verbs.internal.endpoint.connect.TcpReception;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.Exposures;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpHandshake;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests servers and clients over TCP, and servers and clients over RDMA or TCP on a machine without RDMA. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TcpServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static EndpointServer bind(Transport transport) {
        return EndpointServer.bind(TcpPair.ANY_PORT, config -> config.transport(transport));
    }

    private static Endpoint connect(InetSocketAddress address, Transport transport) {
        return Endpoint.connect(
                address, config -> config.transport(transport).privateData(new byte[] {1, 2, 0}), PATIENCE);
    }

    private static CompletableFuture<Endpoint> accept(EndpointServer server) {
        return CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
    }

    @Test
    void bothSidesKnowEachOther() {
        try (EndpointServer server = bind(Transport.TCP)) {
            CompletableFuture<Endpoint> accepted = accept(server);
            try (Endpoint client = connect(server.address(), Transport.TCP);
                    Endpoint atServer = accepted.join()) {
                assertThat(atServer.peerPrivateData()).containsExactly(1, 2, 0);
                assertThat(client.peerPrivateData()).isEmpty();
                assertThat(client.peerAddress()).contains(server.address());
                assertThat(atServer.peerAddress()).isEqualTo(client.localAddress());
                assertThat(client.toString()).contains("TCP", server.address().toString());
                assertThat(client.transport()).isEqualTo(Transport.TCP);
                assertThat(client.rdmaFailure()).isEmpty();
            }
            assertThat(server.rdmaFailure()).isEmpty();
        }
    }

    /** Its descriptor is ready for ever, and there is never a client. */
    @Test
    void listenerThatIsTakenAwayEndsInAClearError() {
        StreamSocket socket = StreamSocket.listen("the test", TcpPair.ANY_PORT, 4);
        EndpointSettings config = TestSettings.of(settings -> {});
        Acceptor acceptor = new Acceptor(
                "the test",
                List.of(new TcpReception(
                        "the test",
                        socket,
                        config,
                        new AdmissionControl(config),
                        new Exposures(),
                        place -> null,
                        null)));
        socket.shutDown();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> acceptor.accept(PATIENCE))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("accepting at the test failed: EINVAL")
                    .hasMessageContaining("the socket no longer listens")
                    .hasMessageEndingWith("Close the server, and bind it again");
        }
        acceptor.close();
    }

    /** A server lives for months, and sees millions of clients. */
    @Test
    void endpointsThatAreClosedAreForgotten() throws Exception {
        List<WeakReference<Endpoint>> closed = new ArrayList<>();
        try (EndpointServer server = bind(Transport.TCP);
                EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            for (int i = 0; i < 3; i++) {
                CompletableFuture<Endpoint> accepted = accept(server);
                Endpoint client = connect(server.address(), Transport.TCP);
                Endpoint atServer = accepted.join();
                closed.add(new WeakReference<>(client));
                closed.add(new WeakReference<>(atServer));
                if (i == 0) {
                    selector.add(atServer, ready -> ready.poll(message -> {}));
                    atServer.expose(8, REMOTE_READ);
                }
                assertThat(client.send(new byte[] {1}, PATIENCE)).isTrue();
                if (i == 0) {
                    assertThat(selector.select(PATIENCE)).isPositive();
                } else {
                    assertThat(atServer.receive(PATIENCE)).isPresent();
                }
                atServer.receiveAsync();
                if (i == 1) {
                    client.abort();
                    atServer.abort();
                }
                client.close();
                atServer.close();
            }
            for (int i = 0; i < 200 && !closed.isEmpty(); i++) {
                // A select removes closed connections.
                selector.select(Duration.ZERO);
                System.gc();
                Thread.sleep(5);
                closed.removeIf(each -> each.get() == null);
            }
            assertThat(closed).as("endpoints that are still referred to").isEmpty();
        }
    }

    @Test
    void allClientsUseExposedMemory() {
        try (EndpointServer server = bind(Transport.TCP);
                ExposedMemory counter = server.expose(8, REMOTE_ATOMIC, REMOTE_READ)) {
            for (int i = 0; i < 3; i++) {
                CompletableFuture<Endpoint> accepted = accept(server);
                try (Endpoint client = connect(server.address(), Transport.TCP);
                        Endpoint atServer = accepted.join()) {
                    Thread.ofVirtual().start(atServer::progressLoop);
                    assertThat(client.transfers().fetchAndAdd(counter.handle(), 1, PATIENCE))
                            .isEqualTo(i);
                }
            }
        }
    }

    @Test
    void whereNobodyListensConnectingIsRefusedAtOnce() throws Exception {
        InetSocketAddress nobody;
        try (ServerSocket socket = new ServerSocket(0, 1, TcpPair.ANY_PORT.getAddress())) {
            nobody = new InetSocketAddress(TcpPair.ANY_PORT.getAddress(), socket.getLocalPort());
        }
        assertThatThrownBy(() -> connect(nobody, Transport.TCP))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ECONNREFUSED")
                .hasMessageMatching("(?s).*\\. \\p{Lu}.*");
        assertThatThrownBy(() -> connect(nobody, Transport.RDMA_OR_TCP))
                .isInstanceOf(EndpointException.class)
                .hasMessageContaining("neither over RDMA (")
                .hasMessageContaining("ECONNREFUSED")
                .hasMessageMatching("(?s).*[)][.] Fix one of the two: RDMA: [^:]+.*; TCP: [^:]+")
                .satisfies(e ->
                        assertThat(e.getMessage().split("Fix one of the two")).hasSize(2))
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1))
                .hasCauseInstanceOf(VerbsException.class);
    }

    @Test
    void silentServerTimesOut() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, TcpPair.ANY_PORT.getAddress())) {
            InetSocketAddress address = new InetSocketAddress(silent.getInetAddress(), silent.getLocalPort());
            assertThatThrownBy(() -> Endpoint.connect(
                            address, config -> config.transport(Transport.TCP), Duration.ofMillis(100)))
                    .isInstanceOf(EndpointException.class)
                    .hasMessageContaining("no answer within");
        }
    }

    @Test
    void clientThatNoLongerWaitsIsNotAccepted() {
        try (EndpointServer server = bind(Transport.TCP)) {
            assertThatThrownBy(() -> Endpoint.connect(
                            server.address(), config -> config.transport(Transport.TCP), Duration.ofMillis(50)))
                    .hasMessageContaining("no answer within");
            CompletableFuture<Endpoint> accepted = accept(server);
            try (Endpoint client = connect(server.address(), Transport.TCP);
                    Endpoint atServer = accepted.join()) {
                assertThat(atServer.peerAddress()).isEqualTo(client.localAddress());
                assertThat(server.counters()).isEqualTo(new ServerCounters(1, 0, 0, 1));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void droppedClientGetsTheCause(boolean reset) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, TcpPair.ANY_PORT.getAddress())) {
            InetSocketAddress address = new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
            CompletableFuture<Void> giving = CompletableFuture.runAsync(() -> {
                try (Socket client = server.accept()) {
                    // Unread bytes reset the connection.
                    client.getInputStream().readNBytes(reset ? 1 : TcpHandshake.BYTES);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            assertThatThrownBy(() -> connect(address, Transport.TCP))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("connecting to %s over TCP failed: ".formatted(address))
                    .hasMessageContaining("closed the connection before the handshake was complete. Connect again: ")
                    .hasMessageContaining("too many clients");
            giving.join();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_OR_TCP", "RDMA_WITH_FAILOVER"})
    void interruptEndsTheWaitForAnAnswerAndLeavesNothing(Transport transport) throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, TcpPair.ANY_PORT.getAddress())) {
            InetSocketAddress address = new InetSocketAddress(silent.getInetAddress(), silent.getLocalPort());
            Thread mine = Thread.currentThread();
            CompletableFuture<Boolean> gone = CompletableFuture.supplyAsync(() -> {
                try (Socket client = silent.accept()) {
                    mine.interrupt();
                    // Reads the server's bytes, and then the end of the closed connection.
                    client.getInputStream().readAllBytes();
                    return true;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            assertThatThrownBy(() -> connect(address, transport))
                    .isInstanceOf(WaitInterruptedException.class)
                    .hasMessageContaining("connecting to " + address);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(gone.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void interruptOfOneThatAcceptsLeavesTheOthers() throws Exception {
        try (EndpointServer server = bind(Transport.TCP)) {
            CompletableFuture<String> interrupted = new CompletableFuture<>();
            Thread first = Thread.ofPlatform().start(() -> {
                try {
                    server.accept(PATIENCE);
                } catch (WaitInterruptedException e) {
                    interrupted.complete(Thread.interrupted() ? e.getMessage() : "the status is gone");
                }
            });
            while (first.getState() != Thread.State.RUNNABLE || first.getStackTrace().length < 8) {
                Thread.onSpinWait(); // until it sleeps for all
            }
            CompletableFuture<Endpoint> accepted = accept(server);
            first.interrupt();
            assertThat(interrupted.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).contains("accepting at");
            try (Endpoint client = connect(server.address(), Transport.TCP);
                    Endpoint atServer = accepted.join()) {
                assertThat(client.isConnected()).isTrue();
                assertThat(atServer.isConnected()).isTrue();
            }
        }
    }

    @Test
    void foreignProtocolIsDistinguished() throws Exception {
        try (EndpointServer server = bind(Transport.TCP);
                Socket stranger = new Socket(
                        server.address().getAddress(), server.address().getPort())) {
            stranger.getOutputStream()
                    .write("GET / HTTP/1.1\r\nHost: somewhere.example\r\nUser-Agent: stranger\r\nAccept: */*\r\n\r\n"
                            .getBytes());
            CompletableFuture<Endpoint> accepted = accept(server);
            // It is refused, with this side's version, and others come.
            assertThat(Hello.isHello(stranger.getInputStream().readNBytes(TcpHandshake.BYTES)))
                    .isTrue();
            try (Endpoint client = connect(server.address(), Transport.TCP);
                    Endpoint atServer = accepted.join()) {
                assertThat(client.isConnected()).isTrue();
                assertThat(atServer.isConnected()).isTrue();
            }
        }
        try (ServerSocket other = new ServerSocket(0, 1, TcpPair.ANY_PORT.getAddress())) {
            InetSocketAddress address = new InetSocketAddress(other.getInetAddress(), other.getLocalPort());
            CompletableFuture<Void> answering = CompletableFuture.runAsync(() -> {
                try (Socket client = other.accept()) {
                    byte[] hello = client.getInputStream().readNBytes(TcpHandshake.BYTES);
                    hello[5] += 1;
                    client.getOutputStream().write(hello);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            assertThatThrownBy(() -> connect(address, Transport.TCP))
                    .isInstanceOf(IncompatiblePeerException.class)
                    .hasMessageContaining("version %d of the endpoint protocol".formatted(Hello.VERSION + 1));
            answering.join();
        }
    }

    /** With a timeout of zero each client would be late before it could send anything. */
    @Test
    void noTimeForHandshakesIsRefused() {
        EndpointConfig config = new EndpointConfig();
        for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
            assertThatThrownBy(() -> config.handshakeTimeout(none))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("handshakeTimeout ")
                    .hasMessageEndingWith(": above zero");
        }
    }

    /** The first words of a client of iWARP, which has the ports of TCP: it waits for an answer. */
    @Test
    void shortWordOfAnotherProtocolIsAnsweredAtOnce() throws Exception {
        try (EndpointServer server = EndpointServer.bind(
                        TcpPair.ANY_PORT,
                        config -> config.transport(Transport.TCP).handshakeTimeout(PATIENCE));
                Socket stranger = new Socket(
                        server.address().getAddress(), server.address().getPort())) {
            CompletableFuture<Endpoint> accepted = accept(server);
            stranger.setSoTimeout((int) PATIENCE.toMillis() / 3);
            stranger.getOutputStream().write("MPA".getBytes());
            Thread.sleep(20);
            stranger.getOutputStream().write(" ID Req Frame".getBytes());
            assertThat(Hello.isHello(stranger.getInputStream().readNBytes(TcpHandshake.BYTES)))
                    .isTrue();
            try (Endpoint client = connect(server.address(), Transport.TCP);
                    Endpoint atServer = accepted.join()) {
                assertThat(client.isConnected()).isTrue();
                assertThat(atServer.isConnected()).isTrue();
            }
        }
        try (ServerSocket other = new ServerSocket(0, 1, TcpPair.ANY_PORT.getAddress())) {
            CompletableFuture<Socket> greeting = CompletableFuture.supplyAsync(() -> {
                try {
                    Socket client = other.accept();
                    client.getOutputStream().write("SSH-2.0-other\r\n".getBytes());
                    return client;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            InetSocketAddress address = new InetSocketAddress(other.getInetAddress(), other.getLocalPort());
            assertThatThrownBy(() -> connect(address, Transport.TCP))
                    .isInstanceOf(IncompatiblePeerException.class)
                    .hasMessageContaining("does not speak the endpoint protocol");
            greeting.join().close();
        }
    }

    @Test
    void ofTooManyHalfOpenClientsTheOldestIsForgottenAndTheNextOneIsServed() throws Exception {
        List<Socket> silent = new ArrayList<>();
        // None is late, however long it takes to connect so many.
        try (EndpointServer server = EndpointServer.bind(
                TcpPair.ANY_PORT, config -> config.transport(Transport.TCP).handshakeTimeout(Duration.ofHours(1)))) {
            CompletableFuture<Endpoint> accepted = accept(server);
            // The server may look at the last of so many as allowed, and make room when one more comes.
            for (int i = 0; i <= AdmissionControl.MOST_HANDSHAKES; i++) {
                silent.add(new Socket(
                        server.address().getAddress(), server.address().getPort()));
            }
            Socket oldest = silent.getFirst();
            oldest.setSoTimeout((int) PATIENCE.toMillis());
            assertThat(oldest.getInputStream().read()).isEqualTo(-1);
            try (Endpoint client = connect(server.address(), Transport.TCP);
                    Endpoint atServer = accepted.join()) {
                assertThat(client.send(new byte[] {7}, PATIENCE)).isTrue();
                assertThat(atServer.receive(PATIENCE)).isPresent();
            }
            assertThat(server.counters().gaveUp()).isBetween(1L, 2L * AdmissionControl.MOST_AT_A_TIME);
            // The others still have time.
            Socket youngest = silent.getLast();
            youngest.getOutputStream()
                    .write(TestSettings.of(config -> {}).hello().toBytes()[0]);
            assertThat(youngest.getInputStream().available()).isZero();
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    /** As many as may complete their handshakes at a time; where the kernel keeps fewer, those. */
    @Test
    void clientsThatComeTogetherWaitUntilTheProgramAccepts() throws Exception {
        int allowed = Integer.parseInt(
                Files.readAllLines(Path.of("/proc/sys/net/core/somaxconn")).getFirst());
        List<Socket> waiting = new ArrayList<>();
        try (EndpointServer server = bind(Transport.TCP)) {
            for (int i = 0; i < Math.min(allowed, AdmissionControl.MOST_HANDSHAKES); i++) {
                Socket socket = new Socket();
                waiting.add(socket);
                // One that the kernel has forgotten would ask again after a second.
                socket.connect(server.address(), 900);
            }
        } finally {
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    @Test
    void closedServerEndsTheWaitForClientsAndItsPortIsFree() {
        EndpointServer server = bind(Transport.TCP);
        InetSocketAddress address = server.address();
        CompletableFuture<Endpoint> waiting = accept(server);
        server.close();
        assertThatThrownBy(waiting::join).hasMessageContaining("closed");
        assertThatThrownBy(() -> server.expose(8, REMOTE_READ)).isInstanceOf(IllegalStateException.class);
        EndpointServer.bind(address, config -> config.transport(Transport.TCP)).close();
    }

    @Test
    void withoutRdmaBothSidesTakeTcpAndSayWhy() {
        try (EndpointServer server = bind(Transport.RDMA_OR_TCP)) {
            assertThat(server.rdmaFailure()).isPresent();
            CompletableFuture<Endpoint> accepted = accept(server);
            try (Endpoint client = connect(server.address(), Transport.RDMA_OR_TCP);
                    Endpoint atServer = accepted.join()) {
                assertThat(client.transport()).isEqualTo(Transport.TCP);
                assertThat(client.rdmaFailure())
                        .hasValueSatisfying(why -> assertThat(why).hasMessageMatching("(?s).*\\. \\p{Lu}.*"));
                assertThat(client.send(new byte[] {1}, PATIENCE)).isTrue();
                assertThat(atServer.receive(PATIENCE)).hasValue(new byte[] {1});
            }
        }
    }

    /** A server that names another length, or none that there can be, is taken for one without such a place. */
    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, PathProbe.BYTES - 1, PathProbe.BYTES + 1, Long.MAX_VALUE})
    void placeOfAnotherLengthIsIgnored(long length) {
        byte[] hello = TestSettings.of(config -> {}).answer().toBytes();
        byte[] greeting = ByteBuffer.allocate(hello.length + Integer.BYTES + RemoteMemory.BYTES)
                .put(hello)
                .putInt(0x52_34_43_59)
                .putLong(4096)
                .putLong(length)
                .putInt(7)
                .array();
        assertThat(PathProbe.placeIn(greeting)).isNull();
        ByteBuffer.wrap(greeting).putLong(hello.length + Integer.BYTES + Long.BYTES, PathProbe.BYTES);
        assertThat(PathProbe.placeIn(greeting).length()).isEqualTo(PathProbe.BYTES);
    }

    @Test
    void changedProbeEndsTheAttempt() {
        try (TcpPair pair = new TcpPair(config -> {})) {
            ExposedMemory written = pair.right.expose(PathProbe.BYTES, REMOTE_READ, REMOTE_WRITE);
            ExposedMemory read = pair.right.expose(PathProbe.BYTES, REMOTE_READ, REMOTE_WRITE);
            byte[] greeting = TestSettings.of(config -> config.privateData(new byte[] {7}))
                    .hello()
                    .toBytes();
            assertThat(PathProbe.placeIn(greeting)).isNull();
            CompletableFuture<Void> serving = CompletableFuture.runAsync(() -> {
                try {
                    while (pair.right.poll(message -> {}) == 0) {
                        Thread.onSpinWait();
                    }
                } catch (ConnectionLostException e) {
                    // The client has given up, as it should.
                }
            });
            // Ten equal bytes of random ones and of zeros do not happen.
            assertThatThrownBy(() -> PathProbe.tryOut(pair.left, written.handle(), read.handle(), PATIENCE))
                    .isInstanceOf(EndpointException.class)
                    .hasMessageMatching("(?s).*differ from those that were written, from byte \\d of 10000.*");
            assertThat(pair.left.isOpen()).isFalse();
            serving.join();
        }
    }

    /** Programs where rdma-core is not installed: nothing of it is asked for. */
    @Test
    void noLibraryOfRdmaIsLoaded() throws Exception {
        List<String> printed = ChildJvm.run(OverTcp.class);
        assertThat(printed).contains("answered 42, mapped: ");
    }

    /** A program of its own process. */
    static final class OverTcp {
        private OverTcp() {}

        public static void main(String... args) throws Exception {
            try (EndpointServer server = bind(Transport.TCP)) {
                CompletableFuture<Endpoint> accepted = accept(server);
                try (Endpoint client = connect(server.address(), Transport.TCP);
                        Endpoint atServer = accepted.join();
                        ExposedMemory memory = atServer.expose(8, REMOTE_READ);
                        EndpointSelector selector = EndpointSelector.open()) {
                    memory.segment().set(ValueLayout.JAVA_LONG, 0, 42);
                    selector.add(atServer, ready -> ready.poll(message -> {}));
                    CompletableFuture<Long> answer = client.transfers().getLongAsync(memory.handle(), 0);
                    while (!answer.isDone()) {
                        selector.select(Duration.ofMillis(10));
                        client.poll(message -> {});
                    }
                    List<String> mapped = Files.readAllLines(Path.of("/proc/self/maps")).stream()
                            .filter(line -> line.contains("libibverbs") || line.contains("librdmacm"))
                            .toList();
                    System.out.println("answered %d, mapped: %s".formatted(answer.join(), String.join(",", mapped)));
                }
            }
        }
    }
}
