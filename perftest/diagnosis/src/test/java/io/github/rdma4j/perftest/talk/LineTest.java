// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class LineTest {
    /** A peer that gives orders and takes no answer fills the connection. */
    @Test
    void peerThatTakesNoMessageIsDropped() throws Exception {
        try (ServerSocket server = new ServerSocket()) {
            server.setReceiveBufferSize(4096);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
                    Socket other = server.accept();
                    Line line = new Line(Protocol.DOCTOR, socket, Duration.ofMillis(100))) {
                Message answer = new Message(Message.Kind.ANSWER, new Fields().with("text", "x".repeat(1000)));
                assertThatThrownBy(() -> {
                            while (true) {
                                line.send(answer);
                            }
                        })
                        .isInstanceOf(PeerLostException.class)
                        .hasMessage("the other end has not read a message for 0 s");
                assertThat(socket.isClosed()).isTrue();
            }
        }
    }

    /** A waiting end has nothing to send by which it would notice that the other machine has no power. */
    @Test
    void machineThatVanishesIsNoticedInTwoMinutes() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
                Line _ = new Line(Protocol.MESH, socket)) {
            assertThat(socket.getKeepAlive()).isTrue();
            int idle = socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE);
            int interval = socket.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL);
            int probes = socket.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT);
            assertThat(idle + interval * probes).isEqualTo(120);
        }
    }
}
