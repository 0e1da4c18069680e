// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how a conversation over TCP begins, waits, ends and reports failures. */
@Timeout(600)
class ControlChannelTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** C tools send five bytes that nobody expects: a reset would take our last message from them. */
    @Test
    void endLetsThePeerReadAndSpeakToTheEnd() throws Exception {
        CompletableFuture<String> received = new CompletableFuture<>();
        try (FakePeer peer = new FakePeer(client -> {
            client.getOutputStream().write(bytes("done\0"));
            Thread.sleep(20);
            received.complete(new String(client.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1));
        })) {
            ControlChannel channel = ControlChannel.connect("localhost", peer.port(), LONG);
            channel.send(bytes("last"), "report");
            channel.close();
            channel.close();
            assertThat(received.get(30, TimeUnit.SECONDS)).isEqualTo("last");
            assertThatThrownBy(() -> channel.send(bytes("more"), "report")).isInstanceOf(HandshakeException.class);
        }
    }

    @Test
    void peerThatDoesNotStopSendingIsLeft() throws Exception {
        CompletableFuture<Void> left = new CompletableFuture<>();
        try (FakePeer peer = new FakePeer(client -> {
            try {
                while (true) {
                    client.getOutputStream().write(new byte[1000]);
                }
            } catch (IOException end) {
                left.complete(null);
            }
        })) {
            ControlChannel.connect("localhost", peer.port(), LONG).close();
            left.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void clientIsReadBeforeItsWorkAndServerAfter() throws Exception {
        List<String> order = new ArrayList<>();
        try (FakePeer peer = new FakePeer(client -> {
                    client.getInputStream().readNBytes(4);
                    order.add("received");
                    client.getOutputStream().write(bytes("theirs"));
                });
                ControlChannel channel = ControlChannel.connect("localhost", peer.port(), LONG)) {
            byte[] theirs = channel.exchange(bytes("mine"), "key", LONG, () -> {
                peer.finish();
                order.add("busy");
            });
            assertThat(theirs).isEqualTo(bytes("thei"));
        }
        assertThat(order).containsExactly("received", "busy");
        try (ControlServer server = ControlServer.listen(0);
                Socket client = new Socket("localhost", server.port());
                ControlChannel channel = server.accept(LONG, LONG)) {
            byte[] theirs = channel.exchange(bytes("mine"), "key", LONG, () -> {
                try {
                    client.getOutputStream().write(bytes("word"));
                } catch (IOException broken) {
                    throw new AssertionError(broken);
                }
            });
            assertThat(theirs).isEqualTo(bytes("word"));
        }
    }

    @Test
    void serverWithAClientStopsListening() throws Exception {
        try (ControlServer server = ControlServer.listen(0)) {
            int port = server.port();
            try (Socket client = new Socket("localhost", port);
                    ControlChannel _ = server.accept(LONG, LONG)) {
                assertThat(client.isConnected()).isTrue();
                assertThatThrownBy(() -> new Socket("localhost", port)).isInstanceOf(ConnectException.class);
            }
        }
    }

    @Test
    void newcomerIsJudgedByItsFirstWord() throws Exception {
        assertThat(natureOf("")).isEqualTo(PendingClient.Nature.UNKNOWN);
        assertThat(natureOf("6")).isEqualTo(PendingClient.Nature.UNKNOWN);
        assertThat(natureOf("123.")).isEqualTo(PendingClient.Nature.UNKNOWN);
        assertThat(natureOf("6.06\0")).isEqualTo(PendingClient.Nature.CLIENT);
        assertThat(natureOf("1234")).isEqualTo(PendingClient.Nature.STRANGER);
    }

    private static PendingClient.Nature natureOf(String word) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept();
                PendingClient newcomer = new PendingClient(accepted)) {
            assertThat(newcomer.isOlderThan(LONG)).isFalse();
            assertThat(newcomer.isOlderThan(Duration.ZERO)).isTrue();
            client.getOutputStream().write(bytes(word));
            while (accepted.getInputStream().available() < word.length()) {
                Thread.sleep(1);
            }
            return newcomer.classify();
        }
    }

    @Test
    void bytesThatWereNotUnderstoodAreShown() {
        assertThat(Garbage.show(bytes(" ~\u007f\"\\\n\u00ff"))).isEqualTo("\" ~\\x7f\\x22\\x5c\\x0a\\xff\"");
        assertThat(Garbage.show(bytes("x".repeat(24)))).isEqualTo("\"" + "x".repeat(24) + "\"");
        assertThat(Garbage.show(bytes("x".repeat(25)))).isEqualTo("\"" + "x".repeat(24) + "…\"");
    }

    @ParameterizedTest
    @CsvSource({"6.28, false", "6.29, true", "7.00, true"})
    void keysAreLongerFromWireVersion629On(double version, boolean longer) throws Exception {
        try (FakePeer peer = new FakePeer(client -> client.getInputStream().read());
                ControlChannel channel = ControlChannel.connect("localhost", peer.port(), LONG)) {
            channel.peerSpeaks(version);
            assertThat(channel.carriesKeysWithMarkers()).isEqualTo(longer);
        }
    }

    @Test
    void timesAreSent() {
        assertThat(ControlChannel.text(Duration.ofSeconds(2))).isEqualTo("2 s");
        assertThat(ControlChannel.text(Duration.ofMillis(1500))).isEqualTo("1500 ms");
    }

    @Test
    void thisMachinesPagesAndCacheLinesAreMeasured() throws Exception {
        SystemData data = SystemData.ofThisMachine();
        String pages = Files.readString(Path.of("/proc/self/smaps"))
                .lines()
                .filter(line -> line.startsWith("KernelPageSize:"))
                .findFirst()
                .orElseThrow()
                .replaceAll("\\D", "");
        assertThat(data.cycleBytes()).isEqualTo(1024 * Integer.parseInt(pages));
        Path line = Path.of("/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size");
        assertThat(data.cacheLineBytes())
                .isEqualTo(
                        Files.exists(line)
                                ? Integer.parseInt(Files.readString(line).strip())
                                : 64);
    }

    @Test
    void addressOfThisMachineIsNotForeign() throws Exception {
        assertThat(LocalAddress.isForeign(InetAddress.getByName("127.0.0.1"))).isFalse();
        assertThat(LocalAddress.isForeign(InetAddress.getByName("0.0.0.0"))).isFalse();
        assertThat(LocalAddress.isForeign(InetAddress.getByName("192.0.2.1"))).isTrue();
    }
}
