// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server and those who connect to it: its client, and others. */
@Timeout(600)
class TcpControlServerTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final List<String> strangers = new CopyOnWriteArrayList<>();

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private void awaitStranger() throws InterruptedException {
        while (strangers.isEmpty()) {
            Thread.sleep(5);
        }
    }

    private CompletableFuture<WireVersion.Peer> serve(ControlServer server, Duration timeout) {
        return CompletableFuture.supplyAsync(() -> {
            try (ControlChannel channel = server.acceptClient(Duration.ZERO, timeout, strangers::add)) {
                return WireVersion.exchange(channel);
            }
        });
    }

    private static void call(ControlServer server) throws Exception {
        try (Socket client = new Socket("localhost", server.port())) {
            client.getOutputStream().write(Arrays.copyOf(bytes("6.06"), 16));
            assertThat(client.getInputStream().readNBytes(16)).startsWith(bytes("6.24"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\n\r\n", "SSH-2.0-x", "\0", "six", "6x6"})
    void strangerIsHungUpOnAndTheClientIsServed(String words) throws Exception {
        try (ControlServer server = ControlServer.listen(0)) {
            CompletableFuture<WireVersion.Peer> served = serve(server, LONG);
            try (Socket stranger = new Socket("localhost", server.port())) {
                stranger.getOutputStream().write(bytes(words));
                awaitStranger();
                call(server);
            }
            assertThat(served.get().number()).isEqualTo("6.06");
            assertThat(strangers)
                    .singleElement()
                    .asString()
                    .contains("127.0.0.1:", " connected and sent \"", "which is no perftest version");
        }
    }

    @Test
    void portScannerDoesNotEndTheServer() throws Exception {
        try (ControlServer server = ControlServer.listen(0)) {
            CompletableFuture<WireVersion.Peer> served = serve(server, LONG);
            new Socket("localhost", server.port()).close();
            awaitStranger();
            call(server);
            assertThat(served.get().number()).isEqualTo("6.06");
            assertThat(strangers).singleElement().asString().contains(" connected and left without a word");
        }
    }

    @Test
    void silentConnectionKeepsNoClientOut() throws Exception {
        try (ControlServer server = ControlServer.listen(0);
                Socket silent = new Socket("localhost", server.port())) {
            CompletableFuture<WireVersion.Peer> served = serve(server, LONG);
            call(server);
            assertThat(served.get().number()).isEqualTo("6.06");
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void silentClientIsReported() throws Exception {
        try (ControlServer server = ControlServer.listen(0);
                Socket silent = new Socket("localhost", server.port())) {
            CompletableFuture<WireVersion.Peer> served = serve(server, Duration.ofMillis(300));
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
            assertThat(strangers).singleElement().asString().contains(" connected and says nothing");
            // A client that is late is hung up on as well, and comes again.
            while (!served.isDone()) {
                try (Socket client = new Socket("localhost", server.port())) {
                    client.getOutputStream().write(Arrays.copyOf(bytes("6.06"), 16));
                    client.getInputStream().readNBytes(16);
                } catch (IOException _) {
                    Thread.sleep(1);
                }
            }
            assertThat(served.get().number()).isEqualTo("6.06");
        }
    }

    @Test
    void versionInPiecesIsOne() throws Exception {
        try (ControlServer server = ControlServer.listen(0)) {
            CompletableFuture<WireVersion.Peer> served = serve(server, LONG);
            try (Socket client = new Socket("localhost", server.port())) {
                client.setTcpNoDelay(true);
                for (byte b : Arrays.copyOf(bytes("6.06"), 16)) {
                    client.getOutputStream().write(b);
                    Thread.sleep(5);
                }
                assertThat(served.get().number()).isEqualTo("6.06");
            }
            assertThat(strangers).isEmpty();
        }
    }

    @Test
    void serverWithoutClientEndsInTime() {
        try (ControlServer server = ControlServer.listen(0)) {
            assertThatThrownBy(() -> server.acceptClient(Duration.ofMillis(300), LONG, strangers::add))
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("no client connected to port");
        }
    }

    @Test
    void foreignAddressIsReportedOnBothSides() {
        MeetingPoint server = new MeetingPoint(null, 0, "192.0.2.1", false, false);
        assertThatThrownBy(() -> ControlServer.listen(server))
                .isInstanceOf(HandshakeException.class)
                .hasMessageContaining("Cannot assign requested address")
                .extracting(e -> ((HandshakeException) e).remedy())
                .isEqualTo(
                        "--bind_source_ip takes an address of this machine, which 192.0.2.1 is not: ip -brief address"
                                + " lists them");
        MeetingPoint client = new MeetingPoint("127.0.0.1", 18515, "192.0.2.1", false, false);
        assertThatThrownBy(() -> ControlChannel.connect(client, LONG, LONG))
                .isInstanceOf(HandshakeException.class)
                .hasMessage("cannot connect from 192.0.2.1: Cannot assign requested address")
                .extracting(e -> ((HandshakeException) e).remedy())
                .asString()
                .contains("which 192.0.2.1 is not")
                .doesNotContain("start the server");
    }

    @Test
    void portThatTakesARightIsNotCalledTaken() {
        MeetingPoint where = MeetingPoint.overTcp(null, 80);
        assertThat(LocalAddress.remedy(where, LocalAddress.errno("Permission denied"), "ss"))
                .contains("CAP_NET_BIND_SERVICE", "another port with -p")
                .doesNotContain("another program");
        assertThat(LocalAddress.remedy(where, LocalAddress.errno("Address already in use"), "ss -ltnp"))
                .startsWith("another program listens there (ss -ltnp)");
    }
}
