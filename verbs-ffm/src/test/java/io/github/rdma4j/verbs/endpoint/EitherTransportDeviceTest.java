// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.internal.StreamSocket;
import io.github.rdma4j.verbs.internal.endpoint.connect.Acceptor;
import io.github.rdma4j.verbs.internal.endpoint.connect.AdmissionControl;
import io.github.rdma4j.verbs.internal.endpoint.connect.PathProbe;
import io.github.rdma4j.verbs.internal.endpoint.connect.Reception;
import io.github.rdma4j.verbs.internal.endpoint.connect.TcpReception;
import io.github.rdma4j.verbs.internal.endpoint.connect.VerbsReception;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.Exposures;
import io.github.rdma4j.verbs.internal.endpoint.rdma.SharedDomain;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Servers and clients over RDMA or TCP, where there is RDMA. */
@Tag("device")
class EitherTransportDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** RDMA may take half of it. */
    private static final Duration TO_CONNECT = Duration.ofMinutes(5);
    /** Less than the kernel tries it for, which is 68 s. */
    private static final Duration BY_ITSELF = Duration.ofSeconds(50);

    private static EndpointServer bind(InetSocketAddress address, Transport transport) {
        return EndpointServer.bind(address, config -> config.transport(transport));
    }

    private static Endpoint connect(InetSocketAddress address, Transport transport, Duration rdmaTimeout) {
        return Endpoint.connect(address, config -> config.transport(transport).rdmaTimeout(rdmaTimeout), TO_CONNECT);
    }

    private static CompletableFuture<Endpoint> accept(EndpointServer server) {
        return CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
    }

    @Test
    void rdmaIsTakenWhereItWorksAndClientsOverTcpUseTheSameMemory() {
        try (EndpointServer server = bind(CmTestNet.ipv4(), Transport.RDMA_OR_TCP);
                ExposedMemory counter = server.expose(8, REMOTE_READ, REMOTE_ATOMIC)) {
            assertThat(server.rdmaFailure()).isEmpty();
            long before = 0;
            for (Transport transport : List.of(Transport.RDMA, Transport.TCP, Transport.RDMA_OR_TCP)) {
                CompletableFuture<Endpoint> accepted = accept(server);
                try (Endpoint client = connect(server.address(), transport, PATIENCE);
                        Endpoint atServer = accepted.join()) {
                    Transport expected = transport == Transport.TCP ? Transport.TCP : Transport.RDMA;
                    assertThat(client.transport()).isEqualTo(expected);
                    assertThat(client.rdmaFailure()).isEmpty();
                    assertThat(atServer.transport()).isEqualTo(expected);
                    Thread.ofVirtual().start(atServer::progressLoop);
                    assertThat(client.transfers().fetchAndAdd(counter.handle(), 1, PATIENCE))
                            .isEqualTo(before++);
                    assertThat(client.send(new byte[] {3}, PATIENCE)).isTrue();
                    assertThat(atServer.receive(PATIENCE)).hasValue(new byte[] {3});
                }
            }
        }
    }

    @Test
    void serverWithoutRdmaIsReachedByTcp() {
        try (EndpointServer server = bind(CmTestNet.ipv4(), Transport.TCP)) {
            CompletableFuture<Endpoint> accepted = accept(server);
            try (Endpoint client = connect(server.address(), Transport.RDMA_OR_TCP, Duration.ofSeconds(20));
                    Endpoint atServer = accepted.join()) {
                assertThat(client.transport()).isEqualTo(Transport.TCP);
                assertThat(client.rdmaFailure().orElseThrow()).hasMessageMatching("(?s).*\\. \\p{Lu}.*");
                assertThat(atServer.isConnected()).isTrue();
            }
        }
    }

    /** As if a firewall swallowed RDMA's packets. */
    @Test
    void rdmaThatDoesNotAnswerIsGivenUpInItsTime() {
        try (EndpointServer server = bind(CmTestNet.ipv4(), Transport.TCP);
                SynchronousId silent = SynchronousId.create(PortSpace.TCP)) {
            silent.listen(server.address(), 4);
            CompletableFuture<Endpoint> accepted = accept(server);
            long start = System.nanoTime();
            try (Endpoint client = connect(server.address(), Transport.RDMA_OR_TCP, Duration.ofSeconds(1));
                    Endpoint atServer = accepted.join()) {
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofSeconds(1), BY_ITSELF);
                assertThat(client.transport()).isEqualTo(Transport.TCP);
                assertThat(client.rdmaFailure().orElseThrow()).hasMessageContaining("ETIMEDOUT");
                assertThat(atServer.isConnected()).isTrue();
            }
        }
    }

    @Test
    void serverWhosePortIsTakenForRdmaTakesClientsOverTcp() {
        try (SynchronousId other = SynchronousId.create(PortSpace.TCP)) {
            other.listen(CmTestNet.ipv4(), 4);
            InetSocketAddress address = other.id().localAddress().orElseThrow();
            try (EndpointServer server = bind(address, Transport.RDMA_OR_TCP)) {
                assertThat(server.rdmaFailure().orElseThrow()).hasMessageContaining("EADDRINUSE");
                CompletableFuture<Endpoint> accepted = accept(server);
                try (Endpoint client = connect(address, Transport.RDMA_OR_TCP, Duration.ofSeconds(1));
                        Endpoint atServer = accepted.join()) {
                    assertThat(client.transport())
                            .isEqualTo(atServer.transport())
                            .isEqualTo(Transport.TCP);
                }
            }
        }
    }

    /** As if its device were gone: what rings can be asked for nothing. */
    @Test
    void listenerThatHasFailedIsGivenUpAndClientsComeOverTcp() throws Exception {
        try (FailedListener failed = new FailedListener(true)) {
            CompletableFuture<Endpoint> accepted = CompletableFuture.supplyAsync(
                    () -> failed.acceptor.accept(PATIENCE).orElseThrow(), Thread::startVirtualThread);
            try (Endpoint client = connect(failed.socket.localAddress(), Transport.TCP, PATIENCE);
                    Endpoint atServer = accepted.join()) {
                assertThat(atServer.transport()).isEqualTo(Transport.TCP);
                assertThat(client.isConnected()).isTrue();
            }
            assertThat(failed.acceptor.accept(Duration.ofMillis(500))).isEmpty();
            assertThat(failed.failures).hasSizeBetween(1, 8);
            assertThat(failed.failures.getLast())
                    .hasMessageContaining("accepting at the test failed: EBADF")
                    .hasMessageContaining("it receives no more clients over RDMA: rdma_get_cm_event() failed: EBADF")
                    .hasMessageContaining("Clients come over TCP alone; for RDMA close the server, and bind it again");
        }
    }

    @Test
    void listenerThatHasFailedEndsAServerOverRdmaInAClearError() throws Exception {
        try (FailedListener failed = new FailedListener(false)) {
            for (int i = 0; i < 10; i++) {
                assertThatThrownBy(() -> failed.acceptor.accept(PATIENCE))
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("EBADF");
            }
            assertThatThrownBy(() -> failed.acceptor.accept(PATIENCE))
                    .hasMessageContaining("it receives no more clients over RDMA")
                    .hasMessageEndingWith("Close the server, and bind it again");
            // A thread that waits for clients is not woken any more.
            try (EventPoller poller = EventPoller.open()) {
                poller.add(failed.acceptor.events());
                assertThat(poller.select(Duration.ZERO, ready -> {})).isZero();
            }
        }
    }

    /** A client asks for a connection, and the listener's channel fails when it is asked for what came. */
    private static final class FailedListener implements AutoCloseable {
        final List<VerbsException> failures = new CopyOnWriteArrayList<>();
        final SynchronousId listener = SynchronousId.create(PortSpace.TCP);
        final StreamSocket socket = StreamSocket.listen("the test", CmTestNet.ipv4(), 4);
        final Acceptor acceptor;
        private final CompletableFuture<Void> client;
        private final BrokenDescriptor broken;

        FailedListener(boolean both) {
            EndpointSettings config = TestSettings.of(settings -> {});
            AdmissionControl admission = new AdmissionControl(config);
            Exposures exposures = new Exposures();
            List<Reception> receptions = new ArrayList<>(List.of(new VerbsReception(
                    "the test",
                    listener,
                    config,
                    admission,
                    SharedDomain::allocate,
                    both ? exposures : null,
                    null,
                    both ? failures::add : null)));
            if (both) {
                receptions.add(new TcpReception(
                        "the test", socket, config, admission, exposures, place -> SharedDomain.allocate(null), null));
            }
            acceptor = new Acceptor("the test", receptions);
            listener.listen(CmTestNet.ipv4(), 4);
            InetSocketAddress address = listener.id().localAddress().orElseThrow();
            // It waits for the end of the test, in no thread that others need.
            client = CompletableFuture.runAsync(
                    () -> connect(address, Transport.RDMA, PATIENCE).abort(), Thread::startVirtualThread);
            EventChannel channel = listener.id().channel();
            try (EventPoller poller = EventPoller.open()) {
                poller.add(channel);
                assertThat(poller.select(PATIENCE, ready -> {})).isEqualTo(1);
            }
            broken = BrokenDescriptor.of(channel);
        }

        @Override
        public void close() {
            broken.close();
            acceptor.close();
            socket.close();
            assertThatThrownBy(client::join).hasCauseInstanceOf(VerbsException.class);
        }
    }

    @Test
    void refusedProbeEndsTheAttempt() {
        try (EndpointPair pair = new EndpointPair(config -> {});
                ExposedMemory readable = pair.right.expose(PathProbe.BYTES, REMOTE_READ)) {
            MemoryHandle wrong = new MemoryHandle(
                    readable.handle().memory(), Set.of(io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE));
            assertThatThrownBy(() -> PathProbe.tryOut(pair.left, wrong, PATIENCE))
                    .isInstanceOf(VerbsException.class);
            assertThat(pair.left.isOpen()).isFalse();
        }
    }
}
