// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerAddressTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @Test
    void hostsMayHaveAPort() {
        assertThat(PeerAddress.parse(Protocol.DOCTOR, "--peer", "beta"))
                .isEqualTo(new PeerAddress("beta", Protocol.DOCTOR.port()));
        assertThat(PeerAddress.parse(Protocol.DOCTOR, "--peer", "10.0.0.1:77"))
                .isEqualTo(new PeerAddress("10.0.0.1", 77));
        assertThat(PeerAddress.parse(Protocol.DOCTOR, "--peer", "[2001:db8::1]:77"))
                .isEqualTo(new PeerAddress("2001:db8::1", 77));
        assertThat(PeerAddress.parse(Protocol.DOCTOR, "--peer", "[2001:db8::1]").port())
                .isEqualTo(Protocol.DOCTOR.port());
        assertThat(PeerAddress.parse(Protocol.DOCTOR, "--peer", "2001:db8::1"))
                .hasToString("[2001:db8::1]:" + Protocol.DOCTOR.port());
        assertThat(PeerAddress.parse(Protocol.DOCTOR, "--peer", "fe80::1%eth0"))
                .isEqualTo(new PeerAddress("fe80::1%eth0", Protocol.DOCTOR.port()));
        assertThat(PeerAddress.parse(Protocol.DOCTOR, "--peer", "[fe80::1%eth0]:77"))
                .isEqualTo(new PeerAddress("fe80::1%eth0", 77));
    }

    @Test
    void eachAddressOfAHostIsTried() throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        // Nobody listens there: the server has its own address of the loopback network.
        InetAddress other = InetAddress.ofLiteral("127.0.0.2");
        try (ServerSocket server = new ServerSocket(0, 1, loopback);
                Socket socket = PeerAddress.connect(List.of(other, loopback), server.getLocalPort(), LIMIT)) {
            assertThat(socket.getInetAddress()).isEqualTo(loopback);
        }
    }

    @Test
    void failureIsThatOfAnAddressWithARoute() throws Exception {
        int port;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = server.getLocalPort();
        }
        // Of the class of addresses that Linux never routes.
        InetAddress unroutable = InetAddress.ofLiteral("240.0.0.1");
        InetAddress loopback = InetAddress.getLoopbackAddress();
        for (List<InetAddress> addresses : List.of(List.of(unroutable, loopback), List.of(loopback, unroutable))) {
            assertThatThrownBy(() -> PeerAddress.connect(addresses, port, LIMIT))
                    .isInstanceOf(ConnectException.class)
                    .hasMessage("Connection refused");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                ":77",
                "beta:",
                "beta:x",
                "beta:0",
                "beta:65536",
                "[::1",
                "[::1]x",
                "[::1]:",
                "[]:7",
                ":::1:9",
                "[:::1]:9"
            })
    void othersAreRefused(String text) {
        assertThatThrownBy(() -> PeerAddress.parse(Protocol.DOCTOR, "--peer", text))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageStartingWith("--peer: '" + text + "'");
    }
}
