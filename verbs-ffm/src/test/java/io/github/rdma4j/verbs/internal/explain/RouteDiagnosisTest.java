// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.internal.explain.RouteDiagnosis.Interface;
import io.github.rdma4j.verbs.internal.explain.RouteDiagnosis.Subnet;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A reason why packets cannot leave this host is named before the peer. */
class RouteDiagnosisTest {
    private static final InetAddress OWN = InetAddress.ofLiteral("10.1.0.1");
    private static final InetAddress OTHER = InetAddress.ofLiteral("192.168.7.1");
    private static final InetAddress PEER = InetAddress.ofLiteral("10.1.0.9");

    private static RouteDiagnosis host(boolean up, RouteDiagnosis.Routes routes) {
        return new RouteDiagnosis(
                List.of(
                        new Interface("lo", true, List.of(new Subnet(InetAddress.getLoopbackAddress(), 8))),
                        new Interface("eth0", true, List.of(new Subnet(OTHER, 24))),
                        new Interface(
                                "eth1",
                                up,
                                List.of(new Subnet(InetAddress.ofLiteral("fd00::1"), 64), new Subnet(OWN, 16)))),
                routes);
    }

    private static InetAddress unreachable(InetAddress source, InetAddress destination) throws IOException {
        throw new SocketException("Network is unreachable");
    }

    @Test
    void interfaceThatIsDownIsNamedBeforeTheRoute() {
        Explanation explanation = host(false, RouteDiagnosisTest::unreachable).of(null, PEER);
        assertThat(explanation.cause())
                .isEqualTo("the network interface eth1 of this host, whose subnet 10.1.0.9 belongs to, is down");
        assertThat(explanation.remedy()).isEqualTo("bring it up: 'ip link set dev eth1 up'");
        assertThat(host(false, RouteDiagnosisTest::unreachable)
                        .of(null, InetAddress.ofLiteral("fd00::5"))
                        .cause())
                .contains("eth1 of this host");
    }

    /** The default route leads elsewhere then: the kernel finds one. */
    @Test
    void interfaceThatIsDownIsNamedWhereAnotherRouteTakesItsPackets() {
        assertThat(host(false, (source, destination) -> OTHER).of(null, PEER).cause())
                .contains("eth1 of this host");
        assertThat(host(true, (source, destination) -> OTHER).of(null, PEER).isEmpty())
                .isTrue();
    }

    /** The kernel keeps the routes of an interface whose link is down. */
    @Test
    void interfaceWithoutLinkIsNamedThoughPacketsLeaveByIt() {
        assertThat(host(false, (source, destination) -> OWN).of(null, PEER).cause())
                .contains("eth1 of this host");
    }

    /** As at both ends of a cable, where only one was switched off. */
    @Test
    void interfaceThatWasSwitchedOffIsNamedBeforeOneThatHasLostItsLink() {
        for (boolean first : new boolean[] {true, false}) {
            Interface left = new Interface("left", false, List.of(new Subnet(OWN, 16)));
            Interface right = new Interface("right", false, List.of(new Subnet(InetAddress.ofLiteral("10.1.0.2"), 16)));
            RouteDiagnosis host = new RouteDiagnosis(
                    first ? List.of(left, right) : List.of(right, left), (source, destination) -> OWN);
            assertThat(host.of(null, PEER).cause()).contains("right of this host");
        }
    }

    @Test
    void addressesOfBothFamiliesAreNamed() {
        Explanation explanation =
                host(true, RouteDiagnosisTest::unreachable).of(InetAddress.ofLiteral("fd00::1"), PEER);
        assertThat(explanation.cause())
                .isEqualTo("one of fd00:0:0:0:0:0:0:1 and 10.1.0.9 is an IPv4 address, and the other an IPv6 address");
        assertThat(explanation.remedy()).isEqualTo("use a local address of the peer's kind");
    }

    @Test
    void sourceThatIsDownOrForeignIsNamed() {
        assertThat(host(false, RouteDiagnosisTest::unreachable).of(OWN, PEER).cause())
                .isEqualTo("the network interface eth1 of this host, which has 10.1.0.1, is down");
        assertThat(host(true, (source, destination) -> OWN)
                        .of(InetAddress.ofLiteral("10.1.0.77"), PEER)
                        .cause())
                .isEqualTo("10.1.0.77 is not an address of this host");
        assertThat(host(true, (source, destination) -> OWN).ofLocal(OWN).isEmpty())
                .isTrue();
    }

    @Test
    void missingRouteIsNamedWithTheKernelsWords() {
        Explanation explanation =
                host(true, RouteDiagnosisTest::unreachable).of(null, InetAddress.ofLiteral("172.16.0.1"));
        assertThat(explanation.cause()).isEqualTo("this host has no route to 172.16.0.1 (Network is unreachable)");
        assertThat(explanation.remedy()).contains("ip route get 172.16.0.1");
    }

    @Test
    void hostWhosePacketsLeaveIsNotBlamed() {
        RouteDiagnosis host = host(true, (source, destination) -> OWN);
        assertThat(host.of(null, PEER).isEmpty()).isTrue();
        assertThat(host.of(InetAddress.ofLiteral("0.0.0.0"), PEER).isEmpty()).isTrue();
        assertThat(host.outgoing(null, PEER)).contains("eth1");
        assertThat(RouteDiagnosis.current()
                        .of(null, InetAddress.getLoopbackAddress())
                        .isEmpty())
                .isTrue();
        assertThat(RouteDiagnosis.current().outgoing(null, InetAddress.getLoopbackAddress()))
                .contains("lo");
    }
}
