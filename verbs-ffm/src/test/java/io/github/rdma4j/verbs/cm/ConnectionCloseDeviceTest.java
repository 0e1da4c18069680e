// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static io.github.rdma4j.verbs.cm.CmTestNet.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ExtendedCompletionQueue;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.WaitingThread;
import io.github.rdma4j.verbs.internal.Errno;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Closing ids and channels: in every state, in any order, twice, and under a thread that uses them. */
@Tag("device")
@Tag("parallel")
class ConnectionCloseDeviceTest {
    private static final InetSocketAddress HERE = CmTestNet.ipv4();
    private static final Duration SHORT = Duration.ofMillis(200);

    private static ConnectionId listener(EventChannel channel) {
        ConnectionId id = channel.createId(PortSpace.TCP);
        id.bind(HERE);
        id.listen(8);
        return id;
    }

    private static CmEvent next(EventChannel channel, CmEventType type) {
        CmEvent event = channel.nextEvent(PATIENCE).orElseThrow();
        assertThat(event.type()).as(event.toString()).isEqualTo(type);
        return event;
    }

    private static ConnectionId resolved(EventChannel channel, ConnectionId listener) {
        ConnectionId id = channel.createId(PortSpace.TCP);
        id.resolveAddress(listener.localAddress().orElseThrow(), PATIENCE);
        next(channel, CmEventType.ADDR_RESOLVED);
        id.resolveRoute(PATIENCE);
        next(channel, CmEventType.ROUTE_RESOLVED);
        return id;
    }

    private static ConnectionId connecting(EventChannel channel, ConnectionId listener) {
        ConnectionId id = resolved(channel, listener);
        id.connect(config -> config.queuePairNumber(CmTestNet.nextNumber()));
        return id;
    }

    @Test
    void idCanBeClosedInEveryStateOfAClient() {
        try (EventChannel servers = EventChannel.create();
                EventChannel clients = EventChannel.create()) {
            ConnectionId listener = listener(servers);
            clients.createId(PortSpace.TCP).close();

            ConnectionId resolving = clients.createId(PortSpace.TCP);
            resolving.resolveAddress(listener.localAddress().orElseThrow(), PATIENCE);
            resolving.close();

            resolved(clients, listener).close();

            ConnectionId routing = clients.createId(PortSpace.TCP);
            routing.resolveAddress(listener.localAddress().orElseThrow(), PATIENCE);
            next(clients, CmEventType.ADDR_RESOLVED);
            routing.resolveRoute(PATIENCE);
            routing.close();

            connecting(clients, listener).close();

            ConnectionId answered = connecting(clients, listener);
            ConnectionId request;
            do {
                request = next(servers, CmEventType.CONNECT_REQUEST).id();
            } while (!request.peerAddress().equals(answered.localAddress()));
            request.accept(config -> config.queuePairNumber(CmTestNet.nextNumber()));
            next(clients, CmEventType.CONNECT_RESPONSE);
            answered.close();
            assertThat(clients.ids()).isEmpty();
            assertThat(clients.nextEvent(SHORT)).isEmpty();
        }
    }

    /** An endpoint server does so whose handshakeTimeout has passed. */
    @Test
    void serverThatGivesUpAfterItsResponseIsNamed() throws Exception {
        try (EventChannel servers = EventChannel.create();
                EventChannel clients = EventChannel.create()) {
            ConnectionId client = resolved(clients, listener(servers));
            DeviceContext device = client.device().orElseThrow();
            try (ProtectionDomain domain = device.allocateProtectionDomain();
                    CompletionQueue queue = device.createCompletionQueue(8)) {
                client.createQueuePair(domain, config -> config.completionQueue(queue));
                client.connect(config -> {});
                ConnectionId request =
                        next(servers, CmEventType.CONNECT_REQUEST).id();
                request.accept(config -> config.queuePairNumber(CmTestNet.nextNumber()));
                // The response reaches the client's kernel before the end of the connection.
                request.close();
                CmEvent event = clients.nextEvent(PATIENCE).orElseThrow();
                assertThat(event.type()).isEqualTo(CmEventType.CONNECT_ERROR);
                assertThat(event.cause()).get().satisfies(failure -> {
                    assertThat(failure.errno()).isEqualTo(Errno.ECONNRESET);
                    assertThat(failure).hasMessageContaining("the server has given up this client after its response");
                });
            }
        }
    }

    /** The thread with the cursor may use another id before it ends the cursor. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closeThatWaitsForACursorDoesNotHoldTheChannel(boolean whole) throws Exception {
        try (EventChannel servers = EventChannel.create();
                EventChannel clients = EventChannel.create()) {
            ConnectionId id = resolved(clients, listener(servers));
            ConnectionId other = clients.createId(PortSpace.TCP);
            DeviceContext device = id.device().orElseThrow();
            try (CompletionChannel channel = device.createCompletionChannel();
                    ExtendedCompletionQueue queue =
                            device.createExtendedCompletionQueue(8, config -> config.channel(channel));
                    ProtectionDomain domain = device.allocateProtectionDomain()) {
                QueuePair queuePair = id.createQueuePair(domain, config -> config.completionQueue(queue));
                MemoryRegion memory = domain.allocateMemory(64, AccessFlag.LOCAL_WRITE);
                assertThat(queuePair.tryPostReceive(1, memory.slice())).isTrue();
                queuePair.toError();
                assertThat(queue.awaitCursor(PATIENCE)).isTrue();
                CompletableFuture<Void> closed = CompletableFuture.runAsync(whole ? clients::close : id::close);
                Thread.sleep(100);
                assertThat(other.localAddress()).isEmpty();
                assertThat(closed).isNotDone();
                queue.cursor().end();
                closed.get(60, TimeUnit.SECONDS);
                assertThat(id.isOpen()).isFalse();
                assertThat(other.isOpen()).isEqualTo(!whole);
                assertThat(queuePair.isOpen()).isFalse();
            }
        }
    }

    @Test
    void closingAListenerClosesItsRequestsFetchedOrNot() {
        try (EventChannel servers = EventChannel.create();
                EventChannel clients = EventChannel.create()) {
            ConnectionId listener = listener(servers);
            for (int i = 0; i < 3; i++) {
                connecting(clients, listener);
            }
            ConnectionId fetched = next(servers, CmEventType.CONNECT_REQUEST).id();

            listener.close();

            assertThat(fetched.isOpen()).isFalse();
            assertThat(servers.ids()).isEmpty();
            for (int i = 0; i < 3; i++) {
                // The second, if the request came when nobody listened any more.
                assertThat(next(clients, CmEventType.REJECTED).rejectReason())
                        .isIn(RejectReason.CONSUMER_DEFINED, RejectReason.INVALID_SERVICE_ID);
            }
        }
    }

    @Test
    void answeredRequestOutlivesItsListener() {
        try (EventChannel servers = EventChannel.create();
                EventChannel clients = EventChannel.create()) {
            ConnectionId listener = listener(servers);
            ConnectionId client = connecting(clients, listener);
            ConnectionId request = next(servers, CmEventType.CONNECT_REQUEST).id();
            request.accept(config -> config.queuePairNumber(CmTestNet.nextNumber()));
            listener.close();
            assertThat(request.isOpen()).isTrue();
            next(clients, CmEventType.CONNECT_RESPONSE);
            client.establish();
            next(servers, CmEventType.ESTABLISHED);
            client.close();
            next(servers, CmEventType.DISCONNECTED);
        }
    }

    @Test
    void requestThatMovedOutlivesItsListener() {
        EventChannel servers = EventChannel.create();
        try (EventChannel workers = EventChannel.create();
                EventChannel clients = EventChannel.create()) {
            ConnectionId listener = listener(servers);
            ConnectionId client = connecting(clients, listener);
            ConnectionId request = next(servers, CmEventType.CONNECT_REQUEST).id();
            request.migrate(workers);
            assertThat(request.channel()).isSameAs(workers);
            assertThat(workers.ids()).containsExactly(request);
            servers.close();
            request.accept(config -> config.queuePairNumber(CmTestNet.nextNumber()));
            next(clients, CmEventType.CONNECT_RESPONSE);
            client.establish();
            assertThat(next(workers, CmEventType.ESTABLISHED).id()).isSameAs(request);
        }
    }

    @Test
    void listenerThatMovesLeavesItsRequestsBehind() {
        try (EventChannel servers = EventChannel.create();
                EventChannel workers = EventChannel.create();
                EventChannel clients = EventChannel.create()) {
            ConnectionId listener = listener(servers);
            connecting(clients, listener);
            ConnectionId request = next(servers, CmEventType.CONNECT_REQUEST).id();
            listener.migrate(workers);
            connecting(clients, listener);
            assertThat(next(workers, CmEventType.CONNECT_REQUEST).listener()).containsSame(listener);
            listener.close();
            assertThat(request.isOpen()).isTrue();
            assertThat(workers.ids()).isEmpty();
        }
    }

    @Test
    void closingAChannelClosesItsIdsAndTwiceDoesNothing() {
        EventChannel channel = EventChannel.create();
        ConnectionId listener = listener(channel);
        ConnectionId client = channel.createId(PortSpace.TCP);
        client.resolveAddress(listener.localAddress().orElseThrow(), PATIENCE);
        channel.close();
        channel.close();
        listener.close();
        assertThat(channel.isOpen()).isFalse();
        for (ThrowingCallable use : new ThrowingCallable[] {
            () -> channel.createId(PortSpace.TCP),
            () -> channel.nextEvent(Duration.ZERO),
            () -> channel.nextEvent(PATIENCE),
            channel::poll,
            channel::ids,
            channel::fileDescriptor,
            channel::handle,
            client::handle,
            client::device,
            client::localAddress,
            client::disconnect,
            () -> client.connect(config -> {}),
            () -> client.bind(HERE),
            () -> client.listen(1),
            () -> client.resolveAddress(HERE, PATIENCE)
        }) {
            assertThatThrownBy(use).isInstanceOf(IllegalStateException.class).hasMessageContaining("is closed");
        }
        assertThat(client.toString()).isEqualTo("connection id of port space TCP");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closeEndsAWait(boolean virtual) throws Exception {
        EventChannel channel = EventChannel.create();
        channel.createId(PortSpace.TCP);
        WaitingThread.in(virtual, () -> channel.nextEvent(PATIENCE)).close(channel);
    }

    @RepeatedTest(10)
    void closeThatRacesTheEventsIsHarmless() throws Exception {
        try (EventChannel servers = EventChannel.create()) {
            ConnectionId listener = listener(servers);
            InetSocketAddress address = listener.localAddress().orElseThrow();
            EventChannel clients = EventChannel.create();
            AtomicReference<Throwable> end = new AtomicReference<>();
            Thread reader = Thread.ofPlatform().start(() -> {
                try {
                    while (true) {
                        Optional<CmEvent> event = clients.nextEvent(PATIENCE);
                        if (event.isPresent() && event.get().type() == CmEventType.ADDR_RESOLVED) {
                            event.get().id().resolveRoute(PATIENCE);
                        } else if (event.isPresent() && event.get().type() == CmEventType.ROUTE_RESOLVED) {
                            event.get().id().connect(config -> config.queuePairNumber(CmTestNet.nextNumber()));
                        }
                    }
                } catch (Throwable e) {
                    end.set(e);
                }
            });
            for (int i = 0; i < 10; i++) {
                ConnectionId id = clients.createId(PortSpace.TCP);
                id.resolveAddress(address, PATIENCE);
                if (i % 2 == 0) {
                    Thread.sleep(1);
                }
                if (i < 8) {
                    Thread.startVirtualThread(id::toString);
                }
            }
            clients.close();
            assertThat(reader.join(PATIENCE)).isTrue();
            assertThat(end.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("is closed");
        }
    }

    @Test
    void nothingLeaks() throws Exception {
        openAndClose();
        long before = descriptors();
        for (int i = 0; i < 20; i++) {
            openAndClose();
        }
        assertThat(descriptors())
                .as("descriptors of an earlier test may be closed meanwhile")
                .isLessThanOrEqualTo(before);
    }

    private static void openAndClose() {
        try (SynchronousId server = SynchronousId.create(PortSpace.TCP);
                SynchronousId client = SynchronousId.create(PortSpace.TCP)) {
            server.listen(HERE, 1);
            client.resolve(server.id().localAddress().orElseThrow(), PATIENCE);
            client.id().connect(config -> config.queuePairNumber(CmTestNet.nextNumber()));
            server.getRequest(PATIENCE).orElseThrow().close();
        }
    }

    private static long descriptors() throws Exception {
        try (var list = java.nio.file.Files.list(java.nio.file.Path.of("/proc/self/fd"))) {
            return list.count();
        }
    }
}
