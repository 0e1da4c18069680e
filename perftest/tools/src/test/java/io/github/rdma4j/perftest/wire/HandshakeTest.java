// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.Mtu;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The messages before and after a run, against peers that behave and peers that do not. */
@Timeout(600)
class HandshakeTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(10);

    private static ControlChannel connect(FakePeer peer, Duration timeout) {
        return ControlChannel.connect("localhost", peer.port(), timeout);
    }

    private static byte[] version(String text) {
        return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), 16);
    }

    @Test
    void bothSidesOfOursAgree() throws Exception {
        PeerKeys clientKeys = new PeerKeys(1, 1, 0x11, 0x22, 0x33, 0x44, null);
        PeerKeys serverKeys = new PeerKeys(2, 1, 0x55, 0x66, 0x77, 0x88, null);
        BandwidthReport report = new BandwidthReport(65536, 5000, 1.5, 2.5, 3.5);
        try (ControlServer server = ControlServer.listen(0)) {
            CompletableFuture<BandwidthReport> other = CompletableFuture.supplyAsync(() -> {
                try (ControlChannel channel = server.accept(LONG, LONG)) {
                    assertThat(channel.isServer()).isTrue();
                    assertThat(WireVersion.exchange(channel).number()).isEqualTo("6.24");
                    assertThat(new SystemData(4096, 64).agree(channel)).isEqualTo(new SystemData(65536, 128));
                    assertThat(MtuExchange.agree(channel, Mtu.MTU_4096)).isEqualTo(Mtu.MTU_1024);
                    assertThat(serverKeys.exchange(channel, "key")).isEqualTo(clientKeys);
                    return BandwidthReport.NOTHING.exchange(channel, LONG);
                }
            });
            try (ControlChannel channel = ControlChannel.connect("localhost", server.port(), LONG)) {
                assertThat(channel.isServer()).isFalse();
                assertThat(WireVersion.exchange(channel).number()).isEqualTo("6.24");
                assertThat(new SystemData(65536, 128).agree(channel)).isEqualTo(new SystemData(65536, 128));
                assertThat(MtuExchange.agree(channel, Mtu.MTU_1024)).isEqualTo(Mtu.MTU_1024);
                assertThat(clientKeys.exchange(channel, "key")).isEqualTo(serverKeys);
                assertThat(report.exchange(channel, LONG)).isEqualTo(BandwidthReport.NOTHING);
            }
            assertThat(other.get()).isEqualTo(report);
        }
    }

    @Test
    void serverReadsBeforeItWrites() throws Exception {
        try (ControlServer server = ControlServer.listen(0);
                Socket client = new Socket("localhost", server.port());
                ControlChannel channel = server.accept(LONG, LONG)) {
            client.setSoTimeout(200);
            CompletableFuture<WireVersion.Peer> other =
                    CompletableFuture.supplyAsync(() -> WireVersion.exchange(channel));
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            client.setSoTimeout((int) LONG.toMillis());
            client.getOutputStream().write(version("6.06"));
            // Behind the NUL our peers find our name; the C tools do not look there.
            byte[] ours = "6.24\0rdma4j\0\0\0\0\0".getBytes(StandardCharsets.US_ASCII);
            assertThat(client.getInputStream().readNBytes(16)).isEqualTo(ours);
            assertThat(other.get()).isEqualTo(new WireVersion.Peer("6.06", false, false));
        }
    }

    @Test
    void twoJavaSidesAgreeOnMessageChecks() throws Exception {
        try (ControlServer server = ControlServer.listen(0)) {
            CompletableFuture<WireVersion.Peer> client = CompletableFuture.supplyAsync(() -> {
                try (ControlChannel channel = ControlChannel.connect("localhost", server.port(), LONG)) {
                    return WireVersion.exchange(channel, true, LONG, () -> {});
                }
            });
            try (ControlChannel channel = server.accept(LONG, LONG)) {
                assertThat(WireVersion.exchange(channel, false, LONG, () -> {}))
                        .isEqualTo(new WireVersion.Peer("6.24", true, true));
            }
            assertThat(client.get()).isEqualTo(new WireVersion.Peer("6.24", true, false));
        }
    }

    @Test
    void bytesAfterTheVersionAreIgnored() throws Exception {
        byte[] message = version("5.70");
        Arrays.fill(message, 5, 16, (byte) 0xee);
        try (FakePeer peer = new FakePeer(socket -> {
                    socket.getInputStream().readNBytes(16);
                    socket.getOutputStream().write(message);
                    socket.getInputStream().read();
                });
                ControlChannel channel = connect(peer, LONG)) {
            assertThat(WireVersion.exchange(channel).number()).isEqualTo("5.70");
        }
    }

    @Test
    void messageMayArriveInPieces() throws Exception {
        try (FakePeer peer = new FakePeer(socket -> {
                    socket.setTcpNoDelay(true);
                    for (byte b : version("6.06")) {
                        socket.getOutputStream().write(b);
                        Thread.sleep(5);
                    }
                });
                ControlChannel channel = connect(peer, LONG)) {
            assertThat(WireVersion.exchange(channel).number()).isEqualTo("6.06");
        }
    }

    @Test
    void silenceEndsInTime() throws Exception {
        try (FakePeer peer = new FakePeer(socket -> Thread.sleep(Duration.ofMinutes(1)));
                ControlChannel channel = connect(peer, SHORT)) {
            assertThatThrownBy(() -> WireVersion.exchange(channel))
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageMatching(
                            "the peer .*:" + peer.port() + " sent nothing for 300 ms where its version was due")
                    .extracting(e -> ((HandshakeException) e).remedy())
                    .asString()
                    .contains("same tool");
        }
    }

    @Test
    void silenceInTheMiddleOfAMessageEndsInTimeThoughTheRunMayTakeLong() throws Exception {
        try (FakePeer peer = new FakePeer(socket -> {
                    socket.getOutputStream().write(new byte[59]);
                    Thread.sleep(Duration.ofMinutes(1));
                });
                ControlChannel channel = connect(peer, SHORT)) {
            PeerKeys keys = new PeerKeys(0, 1, 1, 1, 1, 1, Gid.ZERO);
            assertThatThrownBy(() -> keys.exchange(channel, "end of the run", Duration.ofHours(1)))
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("only 59 of 108 bytes for 300 ms where its end of the run was due");
        }
    }

    @Test
    void closedConnectionDiffersFromSilence() throws Exception {
        try (FakePeer peer = new FakePeer(socket -> socket.getOutputStream().write(new byte[7]));
                ControlChannel channel = connect(peer, LONG)) {
            assertThatThrownBy(() -> WireVersion.exchange(channel))
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("closed the connection before the version was exchanged");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 400 Bad", "SSH-2.0-OpenSSH", "", "six.six"})
    void somethingElseThanAVersionIsShown(String text) throws Exception {
        try (FakePeer peer = new FakePeer(socket -> {
                    socket.getInputStream().readNBytes(16);
                    socket.getOutputStream().write(version(text));
                    socket.getInputStream().read();
                });
                ControlChannel channel = connect(peer, LONG)) {
            assertThatThrownBy(() -> WireVersion.exchange(channel))
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("sent no perftest version but \"" + text);
        }
    }

    @Test
    void olderVersionIsRefused() throws Exception {
        try (FakePeer peer = new FakePeer(socket -> {
                    socket.getInputStream().readNBytes(16);
                    socket.getOutputStream().write(version("5.33"));
                    socket.getInputStream().read();
                });
                ControlChannel channel = connect(peer, LONG)) {
            assertThatThrownBy(() -> WireVersion.exchange(channel))
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("speaks perftest version 5.33; 5.70 or later is needed");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3000, 1 << 17, 1 << 30})
    void impossiblePageSizeIsRefused(int size) throws Exception {
        try (FakePeer peer = new FakePeer(socket -> {
                    socket.getInputStream().readNBytes(4);
                    socket.getOutputStream()
                            .write(ByteBuffer.allocate(4).putInt(size).array());
                    socket.getInputStream().read();
                });
                ControlChannel channel = connect(peer, LONG)) {
            assertThatThrownBy(() -> new SystemData(4096, 64).agree(channel))
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("says that its page size is " + size + " bytes");
        }
    }

    @Test
    void cacheLineAsLargeAsAPageIsRefused() throws Exception {
        try (FakePeer peer = new FakePeer(socket -> {
                    socket.getInputStream().readNBytes(4);
                    socket.getOutputStream()
                            .write(ByteBuffer.allocate(8)
                                    .putInt(4096)
                                    .putInt(4096)
                                    .array());
                    socket.getInputStream().read();
                });
                ControlChannel channel = connect(peer, LONG)) {
            assertThatThrownBy(() -> new SystemData(4096, 64).agree(channel))
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("says that its cache line size is 4096 bytes");
        }
    }

    @ParameterizedTest
    @CsvSource({"2, -1", "2, NaN", "2, Infinity", "2147483649, 1", "3472328296395452464, 1"})
    void reportThatNobodyCanHaveMeasuredIsRefused(long size, double rate) throws Exception {
        try (ControlServer server = ControlServer.listen(0)) {
            CompletableFuture<BandwidthReport> other = CompletableFuture.supplyAsync(() -> {
                try (ControlChannel channel = server.accept(LONG, LONG)) {
                    return new BandwidthReport(size, 5, 1, rate, 1).exchange(channel, LONG);
                }
            });
            try (ControlChannel channel = ControlChannel.connect("localhost", server.port(), LONG)) {
                BandwidthReport theirs = BandwidthReport.NOTHING.exchange(channel, LONG);
                assertThatThrownBy(() -> theirs.check(channel))
                        .isInstanceOf(HandshakeException.class)
                        .hasMessageContaining("5 messages of " + size + " bytes, peak 1.0, average " + rate);
                assertThat(other.get().check(channel)).isEqualTo(BandwidthReport.NOTHING);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, MTU_256", "3, MTU_1024", "5, MTU_2048"})
    void smallerMtuWins(String digit, Mtu expected) throws Exception {
        try (FakePeer peer = new FakePeer(socket -> {
                    socket.getInputStream().readNBytes(2);
                    socket.getOutputStream().write((digit + "\0").getBytes(StandardCharsets.US_ASCII));
                    socket.getInputStream().read();
                });
                ControlChannel channel = connect(peer, LONG)) {
            assertThat(MtuExchange.agree(channel, Mtu.MTU_2048)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "6", "x"})
    void impossibleMtuIsRefused(String digit) throws Exception {
        try (FakePeer peer = new FakePeer(socket -> {
                    socket.getInputStream().readNBytes(2);
                    socket.getOutputStream().write((digit + "\0").getBytes(StandardCharsets.US_ASCII));
                    socket.getInputStream().read();
                });
                ControlChannel channel = connect(peer, LONG)) {
            assertThatThrownBy(() -> MtuExchange.agree(channel, Mtu.MTU_2048))
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("for its MTU");
        }
    }

    @Test
    void missingServerIsReportedAtOnce() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        assertThatThrownBy(() -> ControlChannel.connect("localhost", port, LONG))
                .isInstanceOf(HandshakeException.class)
                .hasMessage("nobody accepts connections at localhost:" + port)
                .extracting(e -> ((HandshakeException) e).remedy())
                .asString()
                .contains("start the server side first");
    }

    @Test
    void sourceOfAConnectionCanBeChosen() throws Exception {
        MeetingPoint server = new MeetingPoint(null, 0, "127.0.0.1", false, false);
        try (ControlServer listening = ControlServer.listen(server)) {
            MeetingPoint client = new MeetingPoint("127.0.0.1", listening.port(), "127.0.0.9", false, false);
            CompletableFuture<String> peer = CompletableFuture.supplyAsync(() -> {
                try (ControlChannel channel = listening.accept(LONG, LONG)) {
                    return channel.peer();
                }
            });
            try (ControlChannel _ = ControlChannel.connect(client, LONG, LONG)) {
                assertThat(peer.get()).startsWith("127.0.0.9:");
            }
        }
    }

    @Test
    void onlyIpv6IsUsedIfThatIsAskedFor() {
        MeetingPoint client = new MeetingPoint("127.0.0.1", 18515, null, true, false);
        assertThatThrownBy(() -> ControlChannel.connect(client, LONG, LONG))
                .isInstanceOf(HandshakeException.class)
                .hasMessage("the server's name 127.0.0.1 has no IPv6 address (--ipv6-addr)");
        MeetingPoint mixed = new MeetingPoint("127.0.0.1", 18515, "::1", false, false);
        assertThatThrownBy(() -> ControlChannel.connect(mixed, LONG, LONG))
                .isInstanceOf(HandshakeException.class)
                .hasMessage("--bind_source_ip: ::1 is no IPv4 address");
    }

    @Test
    void unknownNameIsReported() {
        assertThatThrownBy(() -> ControlChannel.connect("no-such-host.invalid", 18515, LONG))
                .isInstanceOf(HandshakeException.class)
                .hasMessageContaining("no-such-host.invalid is not known");
    }

    @Test
    void portInUseIsReported() throws IOException {
        try (ServerSocket other = new ServerSocket(0)) {
            int port = other.getLocalPort();
            assertThatThrownBy(() -> ControlServer.listen(port))
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("cannot listen on TCP port " + port)
                    .extracting(e -> ((HandshakeException) e).remedy())
                    .asString()
                    .contains("another port with -p");
        }
    }

    @Test
    void serverWithoutClientEndsInTime() {
        try (ControlServer server = ControlServer.listen(0)) {
            assertThatThrownBy(() -> server.accept(SHORT, LONG))
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("no client connected");
        }
    }

    @Test
    void peerThatLeavesIsNoticedAndOneThatSpeaksAheadIsNot() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ControlChannel channel = ControlChannel.connect("localhost", listening.getLocalPort(), LONG);
                Socket peer = listening.accept()) {
            assertThat(channel.peerClosed()).isFalse();
            peer.getOutputStream().write(version("6.06"));
            Thread.sleep(50);
            assertThat(channel.peerClosed()).isFalse();
            assertThat(channel.peerClosed()).isFalse();
            assertThat(WireVersion.exchange(channel).number()).isEqualTo("6.06");
            peer.shutdownOutput();
            while (!channel.peerClosed()) {
                Thread.sleep(1);
            }
        }
    }

    @Test
    void farewellOfOldPeersDoesNotDisturb() throws Exception {
        try (FakePeer peer = new FakePeer(socket -> {
            socket.getInputStream().readNBytes(16);
            socket.getOutputStream().write(version("6.06"));
            socket.getOutputStream().write("done\0".getBytes(StandardCharsets.US_ASCII));
            // Had our side left the farewell unread, its closing would reset the connection.
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        })) {
            ControlChannel channel = connect(peer, LONG);
            WireVersion.exchange(channel);
            channel.close();
            channel.close();
            peer.finish();
        }
    }
}
