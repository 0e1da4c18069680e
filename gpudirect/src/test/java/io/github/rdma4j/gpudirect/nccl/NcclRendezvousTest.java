// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The id's way to the other ranks. */
class NcclRendezvousTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(200);

    private static NcclUniqueId id() {
        byte[] bytes = new byte[NcclUniqueId.SIZE];
        new Random(16).nextBytes(bytes);
        return NcclUniqueId.of(bytes);
    }

    private static InetSocketAddress address(ServerSocket server) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
    }

    @Test
    void allRanksGetItAndStrangersHinderNobody() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                var threads = Executors.newVirtualThreadPerTaskExecutor();
                Socket stranger = new Socket()) {
            stranger.connect(address(server));
            stranger.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes());
            Future<NcclUniqueId> first = threads.submit(() -> NcclRendezvous.fetch(address(server), LIMIT));
            Future<NcclUniqueId> second = threads.submit(() -> NcclRendezvous.fetch(address(server), LIMIT));
            NcclRendezvous.serve(id(), server, 2, LIMIT);
            assertThat(first.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(id());
            assertThat(second.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(id())
                    .hasSameHashCodeAs(id());
        }
    }

    @Test
    void nameThatIsNotResolvedIsLookedUp() throws Exception {
        try (ServerSocket server = new ServerSocket(0);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            InetSocketAddress name = InetSocketAddress.createUnresolved("localhost", server.getLocalPort());
            Future<NcclUniqueId> fetched = threads.submit(() -> NcclRendezvous.fetch(name, LIMIT));
            NcclRendezvous.serve(id(), server, 1, LIMIT);
            assertThat(fetched.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(id());
        }
    }

    @Test
    void missingPeerTimesOut() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            assertThatExceptionOfType(NcclTimeoutException.class)
                    .isThrownBy(() -> NcclRendezvous.serve(id(), server, 2, SHORT))
                    .withMessageContaining("0 of 2 ranks have fetched");
        }
    }

    @Test
    void nullIsRefusedBeforeAnybodyWaits() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> NcclRendezvous.serve(null, server, 1, SHORT))
                    .isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> NcclRendezvous.serve(id(), (InetSocketAddress) null, 1, SHORT))
                    .isInstanceOf(NullPointerException.class);
        }
    }

    @Test
    void missingServerTimesOut() throws IOException {
        InetSocketAddress nobody;
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            nobody = address(server);
        }
        // However short the time is, or late the thread.
        for (Duration timeout : List.of(SHORT, Duration.ZERO)) {
            assertThatExceptionOfType(NcclTimeoutException.class)
                    .isThrownBy(() -> NcclRendezvous.fetch(nobody, timeout))
                    .withCauseInstanceOf(IOException.class);
        }
    }

    private interface Call {
        void run() throws Exception;
    }

    private static Throwable interrupted(boolean virtual, Call call) throws Exception {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Runnable body = () -> {
            try {
                call.run();
                end.complete(null);
            } catch (Exception e) {
                end.complete(Thread.interrupted() ? e : new AssertionError("the status is gone", e));
            }
        };
        Thread thread =
                virtual ? Thread.ofVirtual().start(body) : Thread.ofPlatform().start(body);
        Thread.sleep(50);
        assertThat(thread.isAlive()).isTrue();
        thread.interrupt();
        return end.get(LIMIT.toSeconds() / 2, TimeUnit.SECONDS);
    }

    /** Interrupts each side while its peer is missing, and while its peer is silent. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void interruptEndsServingAndFetching(boolean virtual) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            assertThat(interrupted(virtual, () -> NcclRendezvous.serve(id(), server, 1, LIMIT)))
                    .isInstanceOf(InterruptedIOException.class);
            // In accept, and not between two calls of it, the JDK closes it under a virtual thread.
            assertThat(virtual || !server.isClosed()).isTrue();
        }
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                Socket silent = new Socket()) {
            assertThat(interrupted(virtual, () -> NcclRendezvous.fetch(address(server), LIMIT)))
                    .isInstanceOf(InterruptedIOException.class);
            silent.connect(address(server));
            assertThat(interrupted(virtual, () -> NcclRendezvous.serve(id(), server, 2, LIMIT)))
                    .isInstanceOf(InterruptedIOException.class);
            server.close();
            assertThat(interrupted(virtual, () -> NcclRendezvous.fetch(address(server), LIMIT)))
                    .isInstanceOf(InterruptedIOException.class);
        }
    }

    @Test
    void closeOfTheSocketEndsServing() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> serving = threads.submit(() -> {
                NcclRendezvous.serve(id(), server, 1, LIMIT);
                return null;
            });
            Thread.sleep(20);
            server.close();
            assertThatThrownBy(() -> serving.get(LIMIT.toSeconds() / 2, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(SocketException.class);
        }
    }

    @Test
    void somethingElseServes() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> {
                try (Socket peer = server.accept()) {
                    peer.getOutputStream().write("SSH-2.0-OpenSSH_9.2".getBytes());
                    peer.getInputStream().readNBytes(8);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> NcclRendezvous.fetch(address(server), LIMIT))
                    .withMessageContaining("serves no NCCL id");
        }
    }

    @Test
    void byAnEndpoint() throws Exception {
        try (EndpointServer server = EndpointServer.bind(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), c -> c.transport(Transport.TCP));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<NcclUniqueId> got = threads.submit(() -> {
                try (Endpoint peer = server.accept(LIMIT).orElseThrow()) {
                    return NcclUniqueId.receive(peer, LIMIT);
                }
            });
            try (Endpoint client = Endpoint.connect(server.address(), c -> c.transport(Transport.TCP), LIMIT)) {
                assertThat(id().send(client, LIMIT)).isTrue();
                assertThat(got.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(id());
            }
        }
    }

    @Test
    void bytesOfAnotherLength() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NcclUniqueId.of(new byte[127]))
                .withMessage("127 bytes: an id has 128");
        assertThat(id().toString()).isEqualTo("NCCL id of 128 bytes");
    }
}
