// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitingThread;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.cm.ConnectionException;
import io.github.rdma4j.verbs.cm.ConnectionRejectedException;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.internal.endpoint.connect.AdmissionControl;
import io.github.rdma4j.verbs.internal.endpoint.connect.VerbsReception;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.rdma.SharedDomain;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Servers and clients that rdma_cm connects. */
@Tag("device")
@Tag("parallel")
class EndpointServerDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Consumer<EndpointConfig> SMALL =
            config -> config.receiveBuffers(4).sendDepth(4).ackTimeout(19);

    private final EndpointServer server = EndpointServer.bind(CmTestNet.ipv4(), SMALL);
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void close() {
        server.close();
        executor.shutdownNow();
    }

    private static MemorySegment text(String text) {
        return MemorySegment.ofArray(text.getBytes());
    }

    private Endpoint connect() throws Exception {
        return Endpoint.connect(server.address(), SMALL, PATIENCE);
    }

    private Future<Endpoint> accept() {
        return executor.submit(() -> server.accept(PATIENCE).orElseThrow());
    }

    private static Endpoint get(Future<Endpoint> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    @Test
    void clientConnectsAndBothSpeak() throws Exception {
        Future<Endpoint> accepted = accept();
        try (Endpoint client = Endpoint.connect(
                        server.address(),
                        config -> SMALL.andThen(c -> c.privateData(new byte[] {1, 2, 0}))
                                .accept(config),
                        PATIENCE);
                Endpoint atServer = get(accepted)) {
            assertThat(atServer.peerPrivateData()).containsExactly(1, 2, 0);
            assertThat(client.peerPrivateData()).isEmpty();
            assertThat(client.peerAddress()).contains(server.address());
            assertThat(atServer.localAddress()).contains(server.address());
            assertThat(client.toString()).startsWith("endpoint RDMA /").contains(" to " + server.address());
            for (int i = 0; i < 20; i++) {
                assertThat(client.send(text("ping"), PATIENCE)).isTrue();
                assertThat(atServer.receive(PATIENCE)).hasValue("ping".getBytes());
                assertThat(atServer.send(text("pong"), PATIENCE)).isTrue();
                assertThat(client.receive(PATIENCE)).hasValue("pong".getBytes());
            }
        }
    }

    @Test
    void silentClientIsForgottenOnce() throws Exception {
        SynchronousId listener = SynchronousId.create(PortSpace.TCP);
        EndpointSettings config = TestSettings.of(SMALL);
        AdmissionControl admission = new AdmissionControl(config);
        VerbsReception reception =
                new VerbsReception("the test", listener, config, admission, SharedDomain::allocate, null, null, null);
        listener.listen(CmTestNet.ipv4(), 8);
        try (EventPoller poller = EventPoller.open()) {
            reception.enter(poller);
            Future<Endpoint> client = executor.submit(
                    () -> Endpoint.connect(listener.id().localAddress().orElseThrow(), SMALL, PATIENCE));
            assertThat(poller.select(PATIENCE, source -> {})).isEqualTo(1);
            assertThat(reception.begin()).isNull();
            assertThat(reception.awaitsTime()).isTrue();
            List<EventSource> ready = new ArrayList<>();
            assertThat(poller.select(PATIENCE, ready::add)).isEqualTo(1);
            // With it the id of the client, which could not be closed without the descriptor.
            try (EventChannel channel = (EventChannel) ready.getFirst();
                    BrokenDescriptor broken = BrokenDescriptor.of(channel)) {
                assertThatThrownBy(() -> reception.goOn(channel))
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("rdma_get_cm_event() failed: EBADF");
            }
            assertThat(reception.awaitsTime()).isFalse();
            assertThat(admission.counters().gaveUp()).isEqualTo(1);
            // And it wakes nobody any more.
            assertThat(poller.select(Duration.ZERO, ready::add)).isZero();
            get(client).abort();
        } finally {
            reception.close();
        }
    }

    @Test
    void clientConnectsFromItsConfiguredAddress() throws Exception {
        Future<Endpoint> accepted = accept();
        InetSocketAddress from = new InetSocketAddress(server.address().getAddress(), 0);
        try (Endpoint client = Endpoint.connect(
                        server.address(),
                        config -> SMALL.andThen(c -> c.localAddress(from)).accept(config),
                        PATIENCE);
                Endpoint atServer = get(accepted)) {
            assertThat(client.localAddress().orElseThrow().getAddress()).isEqualTo(from.getAddress());
            assertThat(atServer.peerAddress()).isEqualTo(client.localAddress());
        }
        assertThatThrownBy(() -> Endpoint.connect(
                        server.address(),
                        config -> config.localAddress(new InetSocketAddress("203.0.113.1", 0)),
                        PATIENCE))
                .hasMessageContaining("203.0.113.1");
    }

    @Test
    void closeAndAbortAreDistinguished() throws Exception {
        Future<Endpoint> accepted = accept();
        Endpoint client = connect();
        try (Endpoint atServer = get(accepted)) {
            client.send(text("last"), PATIENCE);
            client.close();
            assertThat(atServer.receive(PATIENCE)).isPresent();
            assertThatThrownBy(() -> atServer.receive(PATIENCE)).isInstanceOf(ClosedByPeerException.class);
        }
        accepted = accept();
        Endpoint second = connect();
        try (Endpoint atServer = get(accepted)) {
            WaitingThread sleeping = WaitingThread.in(true, () -> atServer.receive(PATIENCE));
            second.abort();
            assertThat(sleeping.end())
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("disconnected without closing");
            assertThatThrownBy(() -> atServer.poll(message -> {})).isInstanceOf(ConnectionLostException.class);
        }
    }

    @Test
    void manyClientsShareWhatTheServerExposes() throws Exception {
        int clients = 6;
        int rounds = 20;
        try (ExposedMemory counter = server.expose(8, REMOTE_ATOMIC, REMOTE_READ)) {
            List<Future<?>> tasks = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                tasks.add(executor.submit(() -> {
                    try (Endpoint endpoint = connect()) {
                        MemoryHandle handle = MemoryHandle.fromBytes(
                                endpoint.receive(PATIENCE).orElseThrow());
                        for (int k = 0; k < rounds; k++) {
                            endpoint.transfers().fetchAndAdd(handle, 1, PATIENCE);
                        }
                        endpoint.send(text("done"), PATIENCE);
                    }
                    return null;
                }));
                tasks.add(executor.submit(() -> {
                    try (Endpoint endpoint = server.accept(PATIENCE).orElseThrow()) {
                        endpoint.send(MemorySegment.ofArray(counter.handle().toBytes()), PATIENCE);
                        assertThat(endpoint.receive(PATIENCE)).hasValue("done".getBytes());
                        assertThatThrownBy(() -> endpoint.receive(PATIENCE)).isInstanceOf(ClosedByPeerException.class);
                    }
                    return null;
                }));
            }
            for (Future<?> task : tasks) {
                task.get(120, TimeUnit.SECONDS);
            }
            assertThat(counter.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo((long) clients * rounds);
        }
    }

    @Test
    void serversCloseLeavesItsEndpointsOpen() throws Exception {
        Future<Endpoint> accepted = accept();
        try (Endpoint client = connect();
                Endpoint atServer = get(accepted)) {
            server.close();
            assertThat(server.isOpen()).isFalse();
            client.send(text("still here"), PATIENCE);
            assertThat(atServer.receive(PATIENCE)).hasValue("still here".getBytes());
            assertThatThrownBy(server::protectionDomain).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void acceptKeepsItsTimeAndEndsWithTheServer() throws Exception {
        assertThat(server.accept(Duration.ZERO)).isEmpty();
        assertThat(server.accept(SHORT)).isEmpty();
        WaitingThread.in(true, () -> server.accept(PATIENCE)).close(server);
    }

    @Test
    void clientOfAnotherProtocolOrVersionIsRefusedAndTheNextOneServed() throws Exception {
        Future<Endpoint> accepted = accept();
        byte[] later = new Hello(Hello.VERSION + 1, 4, 64, new byte[0]).toBytes();
        for (byte[] greeting : List.of(later, new byte[] {1, 2, 3})) {
            assertThatThrownBy(() -> connectRaw(greeting))
                    .isInstanceOfSatisfying(ConnectionRejectedException.class, e -> {
                        assertThat(Hello.isHello(e.privateData())).isTrue();
                        assertThat(Hello.versionOf(e.privateData())).isEqualTo(Hello.VERSION);
                    });
        }
        try (Endpoint client = connect();
                Endpoint atServer = get(accepted)) {
            assertThat(client.send(text("served"), PATIENCE)).isTrue();
            assertThat(atServer.receive(PATIENCE)).isPresent();
        }
    }

    @Test
    void clientThatGaveUpIsForgottenAndTheNextOneServed() throws Exception {
        for (byte[] greeting : List.of(new Hello(Hello.VERSION, 4, 64, new byte[0]).toBytes(), new byte[] {1, 2, 3})) {
            try (RawClient gone = new RawClient(greeting)) {
                gone.ask(server.address());
                awaitRequest(server);
            }
            assertThat(server.accept(Duration.ZERO)).isEmpty();
        }
        Future<Endpoint> accepted = accept();
        try (Endpoint client = connect();
                Endpoint atServer = get(accepted)) {
            assertThat(client.send(text("served"), PATIENCE)).isTrue();
            assertThat(atServer.receive(PATIENCE)).isPresent();
        }
    }

    @Test
    void clientsThatSayNothingHoldUpNobody() throws Exception {
        try (EndpointServer patient = EndpointServer.bind(
                        CmTestNet.ipv4(),
                        config -> SMALL.andThen(c -> c.handshakeTimeout(Duration.ofMinutes(5)))
                                .accept(config));
                RawClient first = new RawClient(new Hello(Hello.VERSION, 4, 64, new byte[0]).toBytes());
                RawClient second = new RawClient(new Hello(Hello.VERSION, 4, 64, new byte[0]).toBytes())) {
            for (RawClient silent : List.of(first, second)) {
                silent.ask(patient.address());
                awaitRequest(patient);
                assertThat(patient.accept(Duration.ZERO)).isEmpty();
                assertThat(patient.acceptor().awaitsTime()).isTrue();
            }
            Future<Endpoint> accepted =
                    executor.submit(() -> patient.accept(PATIENCE).orElseThrow());
            try (Endpoint client = Endpoint.connect(patient.address(), SMALL, PATIENCE);
                    Endpoint atServer = get(accepted)) {
                assertThat(client.send(text("served"), PATIENCE)).isTrue();
                assertThat(atServer.receive(PATIENCE)).isPresent();
            }
        }
    }

    /** Until it is there, and nobody has answered it. */
    private static void awaitRequest(EndpointServer server) {
        try (EventPoller poller = EventPoller.open()) {
            poller.add(server.acceptor().events());
            assertThat(poller.select(PATIENCE, source -> {})).isOne();
        }
    }

    /** Connects as somebody else would. */
    private void connectRaw(byte[] greeting) {
        try (SynchronousId id = SynchronousId.create(PortSpace.TCP)) {
            id.resolve(server.address(), PATIENCE);
            DeviceContext device = id.id().device().orElseThrow();
            try (ProtectionDomain domain = device.allocateProtectionDomain();
                    CompletionQueue queue = device.createCompletionQueue(8)) {
                id.id()
                        .createQueuePair(
                                domain,
                                config -> config.completionQueue(queue)
                                        .maxSendWorkRequests(1)
                                        .maxReceiveWorkRequests(1));
                id.connect(config -> config.privateData(greeting), PATIENCE);
            }
        }
    }

    @Test
    void serverOfAnotherVersionIsNamed() throws Exception {
        try (SynchronousId listener = SynchronousId.create(PortSpace.TCP)) {
            listener.listen(CmTestNet.ipv4(), 1);
            Future<?> refusal = executor.submit(() -> {
                try (SynchronousId request = listener.getRequest(PATIENCE).orElseThrow()) {
                    request.id().reject(new Hello(9, 1, 1, new byte[0]).toBytes());
                }
            });
            InetSocketAddress address = listener.id().localAddress().orElseThrow();
            assertThatThrownBy(() -> Endpoint.connect(address, SMALL, PATIENCE))
                    .isInstanceOf(IncompatiblePeerException.class)
                    .hasMessageContaining("version 9")
                    .hasMessageContaining("this side version " + Hello.VERSION)
                    .hasCauseInstanceOf(ConnectionRejectedException.class);
            refusal.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    @Tag("waiting")
    void serverThatIsNotThereOrDoesNotAnswerIsAnException() {
        InetSocketAddress address = server.address();
        assertThatThrownBy(() -> Endpoint.connect(address, SMALL, Duration.ofSeconds(5)))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining("nothing came within");
        server.close();
        assertThatThrownBy(() -> Endpoint.connect(address, SMALL, PATIENCE))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining("nobody listens");
    }

    @Test
    void deviceLimitIsRefusedWithBothNumbersAndLeavesNothing() {
        assertThatThrownBy(() -> Endpoint.connect(
                        server.address(), config -> config.sendDepth(65_535).maxMessageSize(8), PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a completion queue of 65606 entries");
        assertThatThrownBy(() -> EndpointServer.bind(CmTestNet.ipv4(), config -> config.receiveBuffers(0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("receiveBuffers 0 is not in 1..65535");
        assertThatThrownBy(() -> EndpointServer.bind(CmTestNet.ipv4(), config -> config.privateData(new byte[41])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("41 bytes")
                .hasMessageContaining("40");
    }
}
