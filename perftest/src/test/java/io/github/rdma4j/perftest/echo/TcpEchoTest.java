// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.RunFailedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The half of the comparison that needs no device, through the loopback. */
@Timeout(600)
class TcpEchoTest {
    private static final String ADDRESS = "127.0.0.1";
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final CompletableFuture<RuntimeException> failure = new CompletableFuture<>();

    private static EchoSetting setting(int port, int size, int connections) {
        return new EchoSetting(Transport.TCP, ADDRESS, port, size, connections);
    }

    @ParameterizedTest
    @CsvSource({"16,1,2000", "64,8,2000", "8192,3,1000", "1048576,2,40"})
    void eachMessageComesBack(int size, int connections, int messages) {
        EchoSetting setting = setting(0, size, connections);
        try (EchoServer server = EchoServer.start(setting, failure::complete);
                Exchange exchange = EchoClient.connect(setting.withPort(server.port()), LIMIT)) {
            OpenLoop.Result result = OpenLoop.run(exchange, 2 * messages, messages, LIMIT);

            assertThat(result.latency().samples()).isEqualTo(messages);
            assertThat(result.latency().minimum()).isPositive();
            assertThat(result.perSecond()).isPositive().isLessThanOrEqualTo(2 * messages);
            long before = exchange.sent(0);
            // Not above zero where no answer comes within this time.
            assertThat(ClosedLoop.run(exchange, Duration.ofMillis(100), LIMIT)).isNotNegative();
            assertThat(exchange.sent(0)).as("messages, each answered").isGreaterThan(before);
        }
        assertThat(failure).isNotDone();
    }

    /** Far more than the kernel buffers: both sides must go on reading while they cannot write. */
    @Test
    void aRateBeyondAllBuffersLosesNothing() {
        EchoSetting setting = setting(0, 100_000, 2);
        try (EchoServer server = EchoServer.start(setting, failure::complete);
                Exchange exchange = EchoClient.connect(setting.withPort(server.port()), LIMIT)) {
            OpenLoop.Result result = OpenLoop.run(exchange, 1e6, 1000, LIMIT);

            assertThat(result.latency().samples()).isEqualTo(1000);
            assertThat(result.perSecond()).isLessThan(1e6);
        }
        assertThat(failure).isNotDone();
    }

    @Test
    void aPortInUseIsNamedWithTheRemedy() {
        try (EchoServer server = EchoServer.start(setting(0, 64, 1), failure::complete)) {
            assertThatThrownBy(() -> EchoServer.start(setting(server.port(), 64, 1), failure::complete))
                    .isInstanceOf(RunFailedException.class)
                    .hasMessageStartingWith("cannot listen at 127.0.0.1, port " + server.port() + ": ")
                    .satisfies(thrown ->
                            assertThat(((RunFailedException) thrown).remedy()).contains("choose another port with -p"));
        }
    }

    @Test
    void aServerThatGoesIsNamed() {
        EchoSetting setting = setting(0, 64, 2);
        EchoServer server = EchoServer.start(setting, failure::complete);
        try (Exchange exchange = EchoClient.connect(setting.withPort(server.port()), LIMIT)) {
            OpenLoop.run(exchange, 1000, 10, LIMIT);
            server.close();

            assertThatThrownBy(() -> OpenLoop.run(exchange, 1000, 10, LIMIT))
                    .isInstanceOf(RunFailedException.class)
                    .hasMessageContaining("TCP connection")
                    .satisfies(thrown ->
                            assertThat(((RunFailedException) thrown).peerLost()).isTrue());
        }
    }

    @Test
    void nobodyListening() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(ADDRESS))) {
            port = socket.getLocalPort();
        }

        assertThatThrownBy(() -> EchoClient.connect(setting(port, 64, 1), LIMIT))
                .isInstanceOf(RunFailedException.class)
                .hasMessageStartingWith("no TCP connection to 127.0.0.1, port " + port + ": ");
    }

    /** What comes in pieces is a message all the same; what announces too much is none. */
    @Test
    void aMessageMayComeByteByByte() throws Exception {
        EchoSetting setting = setting(0, 16, 1);
        try (EchoServer server = EchoServer.start(setting, failure::complete);
                Socket client = new Socket(ADDRESS, server.port())) {
            client.setSoTimeout((int) LIMIT.toMillis());
            byte[] message =
                    ByteBuffer.allocate(20).putInt(16).putLong(1).putLong(2).array();
            for (byte one : message) {
                client.getOutputStream().write(one);
                client.getOutputStream().flush();
                Thread.sleep(2);
            }
            assertThat(client.getInputStream().readNBytes(20)).isEqualTo(message);

            client.getOutputStream().write(ByteBuffer.allocate(4).putInt(17).array());
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }
}
