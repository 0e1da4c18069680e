// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Socket;
import java.net.StandardSocketOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A scripted peer hides nothing that goes wrong in its script. */
@Timeout(600)
class FakePeerTest {
    @Test
    void assertionInTheScriptFailsTheTest() throws Exception {
        FakePeer peer = new FakePeer(socket -> assertThat(socket.getPort()).isNegative());
        try (Socket client = new Socket("localhost", peer.port())) {
            client.getInputStream().read();
        }
        assertThatThrownBy(peer::close).isInstanceOf(AssertionError.class).hasMessage("the peer's script failed");
    }

    @Test
    void connectionThatIsResetUnderTheScriptFailsTheTest() throws Exception {
        FakePeer peer = new FakePeer(socket -> socket.getInputStream().read());
        try (Socket client = new Socket("localhost", peer.port())) {
            client.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
        assertThatThrownBy(peer::finish).hasMessage("the peer's script failed").hasRootCauseMessage("Connection reset");
    }

    @Test
    void endByCloseIsNoFailure() throws Exception {
        assertThatCode(() -> new FakePeer(_ -> {}).close()).doesNotThrowAnyException();
        FakePeer peer = new FakePeer(socket -> {
            socket.getOutputStream().write('s');
            Thread.sleep(Duration.ofHours(1));
        });
        try (Socket client = new Socket("localhost", peer.port())) {
            // Closing a listener resets the connections that it has not accepted, and connect() does not wait for
            // accept().
            assertThat(client.getInputStream().read()).isEqualTo('s');
            assertThatCode(peer::close).doesNotThrowAnyException();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }
}
