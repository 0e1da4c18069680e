// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static io.github.rdma4j.verbs.cm.CmTestNet.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EnhancedConnectionEstablishment;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests addresses of both families, names, the wildcard, the settings of an id, and an event loop with a poller. */
@Tag("device")
class CmAddressDeviceTest {
    private static final InetSocketAddress HERE = CmTestNet.ipv4();

    private static CmEvent next(EventChannel channel, CmEventType type) {
        CmEvent event = channel.nextEvent(PATIENCE).orElseThrow();
        assertThat(event.type()).as(event.toString()).isEqualTo(type);
        return event;
    }

    /** One connection from an address to a listener; a few messages. */
    private static void exchange(
            EventChannel channel, ConnectionId listener, ConnectionId client, InetSocketAddress to) {
        client.resolveAddress(to, PATIENCE);
        next(channel, CmEventType.ADDR_RESOLVED);
        client.resolveRoute(PATIENCE);
        next(channel, CmEventType.ROUTE_RESOLVED);
        try (CmEnd one = CmEnd.of(client)) {
            client.connect(config -> {});
            ConnectionId server = next(channel, CmEventType.CONNECT_REQUEST).id();
            try (CmEnd other = CmEnd.of(server)) {
                server.accept(config -> {});
                next(channel, CmEventType.ESTABLISHED);
                next(channel, CmEventType.ESTABLISHED);
                assertThat(client.peerAddress()).contains(to);
                assertThat(server.localAddress()).contains(to);
                assertThat(server.channel()).isSameAs(listener.channel());
                CmEnd.pingPong(one, other, 2);
            }
        }
    }

    @Test
    void connectionBetweenIpv6Addresses() {
        InetSocketAddress address = CmTestNet.linkLocal();
        try (EventChannel channel = EventChannel.create()) {
            ConnectionId listener = channel.createId(PortSpace.TCP);
            listener.bind(address);
            listener.listen(1);
            InetSocketAddress bound = listener.localAddress().orElseThrow();
            assertThat(bound.getAddress()).isEqualTo(address.getAddress());
            ConnectionId client = channel.createId(PortSpace.TCP);
            exchange(channel, listener, client, bound);
            assertThat(client.localGid().bytes()).isEqualTo(address.getAddress().getAddress());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::"})
    void wildcardAddressOfEitherFamilyTakesBoth(String wildcard) throws Exception {
        for (InetSocketAddress address : List.of(HERE, CmTestNet.linkLocal())) {
            try (EventChannel channel = EventChannel.create()) {
                ConnectionId listener = channel.createId(PortSpace.TCP);
                listener.bind(new InetSocketAddress(InetAddress.getByName(wildcard), 0));
                listener.listen(1);
                assertThat(listener.device()).isEmpty();
                assertThat(listener.port()).isZero();
                InetSocketAddress bound = listener.localAddress().orElseThrow();
                assertThat(bound.getAddress()).isEqualTo(InetAddress.getByName("::"));
                exchange(
                        channel,
                        listener,
                        channel.createId(PortSpace.TCP),
                        CmTestNet.withPort(address, bound.getPort()));
            }
        }
    }

    /** Where a socket bound to :: would take IPv6 alone, Java's sockets take both families. */
    @Test
    @Tag("changes-machine")
    void wildcardAddressTakesBothFamiliesWithBindv6only() throws Exception {
        Path setting = Path.of("/proc/sys/net/ipv6/bindv6only");
        Files.writeString(setting, "1");
        try {
            wildcardAddressOfEitherFamilyTakesBoth("0.0.0.0");
        } finally {
            Files.writeString(setting, "0");
        }
    }

    @Test
    void addressFamilyOnlyKeepsTheWildcardAddressToItsFamily() throws Exception {
        for (PortSpace portSpace : List.of(PortSpace.TCP, PortSpace.UDP)) {
            try (SynchronousId listener = SynchronousId.create(portSpace);
                    SynchronousId client = SynchronousId.create(portSpace)) {
                listener.id().options().addressFamilyOnly(true);
                listener.listen(new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 0), 1);
                InetSocketAddress bound = listener.id().localAddress().orElseThrow();
                assertThat(bound.getAddress()).isEqualTo(InetAddress.getByName("0.0.0.0"));
                client.resolve(CmTestNet.withPort(CmTestNet.linkLocal(), bound.getPort()), PATIENCE);
                // The kernel refuses it with the reason of a program.
                assertThatThrownBy(() ->
                                client.connect(config -> config.queuePairNumber(CmTestNet.nextNumber()), PATIENCE))
                        .isInstanceOf(ConnectionRejectedException.class)
                        .hasMessageContaining("a program listens at this port, but not at this address (at another"
                                + " one, or for IPv4 or IPv6 alone), or it has closed the request unanswered")
                        .hasMessageContaining("See at the peer where its program listens");
            }
        }
    }

    @Test
    void wildcardSourceTakesTheFamilyOfTheDestination() throws Exception {
        for (InetSocketAddress address : List.of(HERE, CmTestNet.linkLocal())) {
            for (String wildcard : List.of("0.0.0.0", "::")) {
                try (SynchronousId client = SynchronousId.create(PortSpace.TCP)) {
                    client.resolve(
                            new InetSocketAddress(InetAddress.getByName(wildcard), 0),
                            CmTestNet.withPort(address, 7471),
                            PATIENCE);
                    assertThat(client.id().localAddress().orElseThrow().getAddress())
                            .isEqualTo(address.getAddress());
                }
            }
        }
    }

    @Test
    void addressByNameBecomesAnEndpoint() {
        CmAddress local = CmAddress.resolveLocal(HERE.getAddress().getHostAddress(), "0", PortSpace.TCP)
                .getFirst();
        assertThat(local.isPassive()).isTrue();
        assertThat(local.source()).contains(HERE);
        assertThat(local.destination()).isEmpty();
        try (SynchronousId listening = local.createEndpoint(PATIENCE)) {
            listening.id().listen(1);
            InetSocketAddress bound = listening.id().localAddress().orElseThrow();
            CmAddress peer = CmAddress.resolve(
                            bound.getAddress().getHostAddress(), Integer.toString(bound.getPort()), PortSpace.TCP)
                    .getFirst();
            assertThat(peer.destination()).contains(bound);
            assertThat(peer.portSpace()).isEqualTo(PortSpace.TCP);
            assertThat(peer.route()).isEmpty();
            assertThat(peer.connectData()).isEmpty();
            try (SynchronousId client = peer.createEndpoint(PATIENCE)) {
                assertThat(client.id().peerAddress()).contains(bound);
                client.id().connect(config -> config.queuePairNumber(CmTestNet.nextNumber()));
                try (SynchronousId request = listening.getRequest(PATIENCE).orElseThrow()) {
                    assertThat(request.id().peerAddress()).isEqualTo(client.id().localAddress());
                }
            }
        }
    }

    @Test
    void unknownServiceIsExplained() {
        assertThatThrownBy(() -> CmAddress.resolve("10.99.0.1", "no-such-service", PortSpace.TCP))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("rdma_getaddrinfo(10.99.0.1, no-such-service, TCP)")
                .hasMessageContaining("use a numeric address");
    }

    /** The name server does not have the name, or there is no name server. */
    @Test
    void unknownHostIsExplained() {
        assertThatThrownBy(() -> CmAddress.resolve("nowhere.invalid", "1", PortSpace.TCP))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("use a numeric address")
                .hasMessageNotContaining("gives the error");
    }

    /** getaddrinfo(3) would take the lower 16 bits: another port. */
    @Test
    void portWithMoreThan16BitsIsTheCallersMistake() {
        for (String port : new String[] {"65536", "70000", "4294967297"}) {
            assertThatThrownBy(() -> CmAddress.resolve("10.99.0.1", port, PortSpace.TCP))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("port %s is not in 0..65535".formatted(port));
        }
        assertThat(CmAddress.resolve("10.99.0.1", "65535", PortSpace.TCP)
                        .getFirst()
                        .destination()
                        .orElseThrow()
                        .getPort())
                .isEqualTo(65535);
    }

    @Test
    void requestThatDoesNotComeIsNoFailure() {
        try (SynchronousId listening = SynchronousId.create(PortSpace.TCP)) {
            listening.listen(HERE, 1);
            assertThat(listening.getRequest(Duration.ofMillis(50))).isEmpty();
        }
    }

    @Test
    void typeOfServiceReachesTheQueuePair() {
        try (EventChannel channel = EventChannel.create()) {
            ConnectionId listener = channel.createId(PortSpace.TCP);
            listener.bind(HERE);
            listener.listen(1);
            ConnectionId client = channel.createId(PortSpace.TCP);
            client.options().typeOfService(0x20).addressFamilyOnly(true);
            client.resolveAddress(listener.localAddress().orElseThrow(), PATIENCE);
            next(channel, CmEventType.ADDR_RESOLVED);
            client.resolveRoute(PATIENCE);
            next(channel, CmEventType.ROUTE_RESOLVED);
            try (CmEnd one = CmEnd.of(client)) {
                client.connect(config -> {});
                ConnectionId server = next(channel, CmEventType.CONNECT_REQUEST).id();
                try (CmEnd other = CmEnd.of(server)) {
                    server.accept(config -> {});
                    next(channel, CmEventType.ESTABLISHED);
                    next(channel, CmEventType.ESTABLISHED);
                    int trafficClass = one.queuePair
                            .query()
                            .path()
                            .globalRoute()
                            .orElseThrow()
                            .trafficClass();
                    assertThat(trafficClass).isEqualTo(0x20);
                    assertThat(other.queuePair.isOpen()).isTrue();
                }
            }
        }
    }

    @Test
    void vendorOptionsTravelWithTheRequest() {
        EnhancedConnectionEstablishment offer = new EnhancedConnectionEstablishment(0x15b3, 0x5, 0);
        try (EventChannel channel = EventChannel.create()) {
            ConnectionId listener = channel.createId(PortSpace.TCP);
            listener.bind(HERE);
            listener.listen(1);
            ConnectionId client = channel.createId(PortSpace.TCP);
            client.resolveAddress(listener.localAddress().orElseThrow(), PATIENCE);
            next(channel, CmEventType.ADDR_RESOLVED);
            client.resolveRoute(PATIENCE);
            next(channel, CmEventType.ROUTE_RESOLVED);
            client.setLocalEce(offer);
            client.connect(config -> config.queuePairNumber(CmTestNet.nextNumber()));
            ConnectionId server = next(channel, CmEventType.CONNECT_REQUEST).id();
            assertThat(server.remoteEce()).isEqualTo(offer);
            assertThatThrownBy(() -> client.setLocalEce(new EnhancedConnectionEstablishment(0, 1, 0)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("a vendor id that is not 0");
        }
    }

    @Test
    void devicesAreThoseOfVerbsOneObjectEach() {
        List<DeviceContext> contexts = CmDevices.list();
        assertThat(contexts.stream().map(context -> context.device().name()))
                .containsExactlyInAnyOrderElementsOf(
                        Device.list().stream().map(Device::name).toList());
        assertThat(CmDevices.list()).isEqualTo(contexts);
        try (EventChannel channel = EventChannel.create()) {
            ConnectionId id = channel.createId(PortSpace.TCP);
            id.bind(HERE);
            assertThat(contexts).contains(id.device().orElseThrow());
            assertThat(id.port()).isEqualTo(1);
            assertThat(id.attachment()).isNull();
        }
    }

    @Test
    void oneThreadServesManyChannelsWithAPoller() {
        List<CmEventType> seen = new ArrayList<>();
        try (EventPoller poller = EventPoller.open();
                EventChannel servers = EventChannel.create();
                EventChannel clients = EventChannel.create()) {
            poller.add(servers);
            poller.add(clients);
            ConnectionId listener = servers.createId(PortSpace.TCP);
            listener.bind(HERE);
            listener.listen(4);
            clients.createId(PortSpace.TCP)
                    .resolveAddress(listener.localAddress().orElseThrow(), PATIENCE);
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (!seen.contains(CmEventType.DISCONNECTED) && System.nanoTime() < deadline) {
                poller.select(PATIENCE, source -> serve(source, seen));
            }
            assertThat(seen)
                    .containsExactly(
                            CmEventType.ADDR_RESOLVED,
                            CmEventType.ROUTE_RESOLVED,
                            CmEventType.CONNECT_REQUEST,
                            CmEventType.CONNECT_RESPONSE,
                            CmEventType.ESTABLISHED,
                            CmEventType.DISCONNECTED);
        }
    }

    private static void serve(EventSource source, List<CmEventType> seen) {
        ((EventChannel) source).poll().ifPresent(event -> {
            seen.add(event.type());
            ConnectionId id = event.id();
            switch (event.type()) {
                case ADDR_RESOLVED -> id.resolveRoute(PATIENCE);
                case ROUTE_RESOLVED -> id.connect(config -> config.queuePairNumber(CmTestNet.nextNumber()));
                case CONNECT_REQUEST -> id.accept(config -> config.queuePairNumber(CmTestNet.nextNumber()));
                case CONNECT_RESPONSE -> id.establish();
                case ESTABLISHED -> id.disconnect();
                default -> assertThat(event.type()).isEqualTo(CmEventType.DISCONNECTED);
            }
        });
    }
}
