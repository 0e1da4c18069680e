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
}
