// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.cm.ConnectionRejectedException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link AddressesTest} where there is RDMA: IPv4, and IPv6 by link-local addresses. */
@Tag("device")
class AddressesDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static void reach(EndpointServer server, InetSocketAddress address, Transport transport) {
        CompletableFuture<Endpoint> accepted =
                CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
        try (Endpoint client = Endpoint.connect(
                        CmTestNet.withPort(address, server.address().getPort()),
                        config -> config.transport(transport).recoveryInterval(Duration.ofMillis(50)),
                        PATIENCE);
                Endpoint atServer = accepted.join()) {
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (transport != Transport.TCP && client.transport() != Transport.RDMA) {
                client.poll(message -> {});
                atServer.poll(message -> {});
                assertThat(System.nanoTime())
                        .as("%s, %s, %s", client, client.rdmaFailure(), atServer.rdmaFailure())
                        .isLessThan(end);
                Thread.onSpinWait();
            }
            assertThat(client.peerAddress().orElseThrow().getAddress()).isEqualTo(address.getAddress());
            assertThat(atServer.peerAddress()).isEqualTo(client.localAddress());
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void everyTransportTakesBothFamilies(Transport transport) throws Exception {
        List<InetSocketAddress> addresses =
                CmTestNet.hasIpv6() ? List.of(CmTestNet.ipv4(), CmTestNet.linkLocal()) : List.of(CmTestNet.ipv4());
        try (EndpointServer wildcard =
                EndpointServer.bind(new InetSocketAddress(0), config -> config.transport(transport))) {
            assertThat(wildcard.address().getAddress())
                    .isEqualTo(InetAddress.getByName(CmTestNet.hasIpv6() ? "::" : "0.0.0.0"));
            assertThat(wildcard.rdmaFailure()).isEmpty();
            for (InetSocketAddress address : addresses) {
                reach(wildcard, address, transport);
            }
        }
        for (InetSocketAddress address : addresses) {
            try (EndpointServer server = EndpointServer.bind(address, config -> config.transport(transport))) {
                assertThat(server.address().getAddress()).isEqualTo(address.getAddress());
                reach(server, address, transport);
            }
        }
    }

    @Test
    void serverOfAnotherAddressIsReportedAsSuch() {
        InetSocketAddress ipv4 = CmTestNet.ipv4();
        InetSocketAddress ipv6 = CmTestNet.linkLocal();
        for (List<InetSocketAddress> each : List.of(List.of(ipv4, ipv6), List.of(ipv6, ipv4))) {
            try (EndpointServer server = EndpointServer.bind(each.getFirst())) {
                InetSocketAddress other =
                        CmTestNet.withPort(each.getLast(), server.address().getPort());
                assertThatThrownBy(() -> Endpoint.connect(other, PATIENCE))
                        .isInstanceOf(ConnectionRejectedException.class)
                        .hasMessageContaining("a program listens at this port, but not at this address");
            }
        }
    }
}
