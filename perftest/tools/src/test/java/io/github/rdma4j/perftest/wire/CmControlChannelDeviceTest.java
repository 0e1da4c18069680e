// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.RdmaAddress;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.Mtu;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The conversation over a queue pair: with our own kind, and with peers that do something else. */
@Tag("device")
@Tag("iwarp")
@Timeout(600)
class CmControlChannelDeviceTest {
    private static final Duration SHORT = Duration.ofMillis(1500);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final MeetingPoint ANY_PORT = new MeetingPoint(null, 0, null, false, true);

    private final String address = RdmaAddress.ofFirstDevice();

    private MeetingPoint at(int port) {
        return new MeetingPoint(address, port, null, false, true);
    }

    /** Runs our server's side of a conversation with a client. */
    private static <T> CompletableFuture<T> serve(
            ControlServer server, Duration timeout, Function<ControlChannel, T> talk) {
        return CompletableFuture.supplyAsync(() -> {
            try (ControlChannel channel = server.accept(LONG, timeout)) {
                return talk.apply(channel);
            }
        });
    }

    @Test
    void bothSidesOfOursAgree() throws Exception {
        PeerKeys clientKeys = new PeerKeys(1, 1, 0x11, 0x22, 0x33, 0x44, Gid.ZERO);
        PeerKeys serverKeys = new PeerKeys(2, 1, 0x55, 0x66, 0x77, 0x88, Gid.ZERO);
        BandwidthReport report = new BandwidthReport(65536, 5000, 1.5, 2.5, 3.5);
        try (ControlServer server = ControlServer.listen(ANY_PORT)) {
            CompletableFuture<BandwidthReport> other = serve(server, LONG, channel -> {
                assertThat(channel.isServer()).isTrue();
                assertThat(WireVersion.exchange(channel).number()).isEqualTo("6.24");
                assertThat(new SystemData(4096, 64).agree(channel)).isEqualTo(new SystemData(65536, 128));
                assertThat(MtuExchange.agree(channel, Mtu.MTU_4096)).isEqualTo(Mtu.MTU_1024);
                assertThat(serverKeys.exchange(channel, "key")).isEqualTo(clientKeys);
                return BandwidthReport.NOTHING.exchange(channel, LONG);
            });
            try (ControlChannel channel = ControlChannel.connect(at(server.port()), LONG, LONG)) {
                assertThat(channel.peer()).isEqualTo(address + ":" + server.port());
                assertThat(WireVersion.exchange(channel).number()).isEqualTo("6.24");
                assertThat(new SystemData(65536, 128).agree(channel)).isEqualTo(new SystemData(65536, 128));
                assertThat(MtuExchange.agree(channel, Mtu.MTU_1024)).isEqualTo(Mtu.MTU_1024);
                assertThat(channel.peerClosed()).isFalse();
                assertThat(clientKeys.exchange(channel, "key")).isEqualTo(serverKeys);
                assertThat(report.exchange(channel, LONG)).isEqualTo(BandwidthReport.NOTHING);
            }
            assertThat(other.get()).isEqualTo(report);
        }
    }

    @Test
    void waitAndQueryDetectALostPeer() throws Exception {
        try (ControlServer server = ControlServer.listen(ANY_PORT)) {
            CompletableFuture<WireVersion.Peer> other = serve(server, LONG, WireVersion::exchange);
            try (ControlChannel channel = ControlChannel.connect(at(server.port()), LONG, LONG)) {
                WireVersion.exchange(channel);
                other.get();
                long deadline = System.nanoTime() + LONG.toNanos();
                while (!channel.peerClosed()) {
                    assertThat(System.nanoTime()).isLessThan(deadline);
                    Thread.sleep(10);
                }
                assertThatThrownBy(() -> channel.receive(4, "page size", LONG))
                        .isInstanceOf(HandshakeException.class)
                        .hasMessageContaining("closed the connection before the page size was exchanged");
            }
        }
    }

    @Test
    void silenceEndsInTime() throws Exception {
        CompletableFuture<Void> enough = new CompletableFuture<>();
        try (ControlServer server = ControlServer.listen(ANY_PORT)) {
            CompletableFuture<Void> other = serve(server, LONG, _ -> enough.join());
            try (ControlChannel channel = ControlChannel.connect(at(server.port()), SHORT, LONG)) {
                assertThatThrownBy(() -> WireVersion.exchange(channel))
                        .isInstanceOf(HandshakeException.class)
                        .hasMessageMatching("the peer .* sent nothing for 1500 ms where its version was due");
            }
            enough.complete(null);
            other.get();
        }
    }

    /** On iWARP the client then wakes the server's adapter up, which may sleep over the first message. */
    @Test
    void slowServerIsReceived() throws Exception {
        try (ControlServer server = ControlServer.listen(ANY_PORT)) {
            CompletableFuture<WireVersion.Peer> other = serve(server, LONG, channel -> {
                LockSupport.parkNanos(Duration.ofMillis(700).toNanos());
                WireVersion.exchange(channel);
                return WireVersion.exchange(channel);
            });
            try (ControlChannel channel = ControlChannel.connect(at(server.port()), LONG, LONG)) {
                WireVersion.exchange(channel);
                assertThat(WireVersion.exchange(channel).number()).isEqualTo("6.24");
            }
            other.get();
        }
    }

    @Test
    void missingServerAndMissingDeviceAreReported() {
        assertThatThrownBy(() -> ControlChannel.connect(at(19999), LONG, LONG))
                .isInstanceOf(HandshakeException.class)
                .hasMessage("nobody accepts rdma_cm connections at " + address + ":19999")
                .extracting(e -> ((HandshakeException) e).remedy())
                .asString()
                .contains("the same of -z and -R");
        MeetingPoint local = new MeetingPoint("127.0.0.1", 19999, null, false, true);
        assertThatThrownBy(() -> ControlChannel.connect(local, LONG, LONG))
                .isInstanceOf(HandshakeException.class)
                .hasMessageContaining("cannot connect to 127.0.0.1:19999 by rdma_cm")
                .extracting(e -> ((HandshakeException) e).remedy())
                .asString()
                .contains("127.0.0.1, ::1 and other addresses of 'lo' have none");
    }

    @Test
    void portInUseIsReported() {
        try (ControlServer server = ControlServer.listen(ANY_PORT)) {
            MeetingPoint taken = new MeetingPoint(null, server.port(), null, false, true);
            assertThatThrownBy(() -> ControlServer.listen(taken))
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("cannot listen on rdma_cm port " + server.port());
        }
    }

    @Test
    void serverWithoutClientEndsInTime() {
        try (ControlServer server = ControlServer.listen(ANY_PORT)) {
            assertThatThrownBy(() -> server.accept(Duration.ofMillis(300), LONG))
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("no client connected");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 15, 17, 512})
    void messageOfTheWrongLengthIsRefused(int length) throws Exception {
        try (ControlServer server = ControlServer.listen(ANY_PORT)) {
            CompletableFuture<WireVersion.Peer> other = serve(server, LONG, WireVersion::exchange);
            sendTo(server.port(), length);
            assertThatThrownBy(other::get)
                    .cause()
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("sent " + length + " bytes where its version of 16 was due");
        }
    }

    @Test
    void messageThatDoesNotFitEndsTheConnection() throws Exception {
        try (ControlServer server = ControlServer.listen(ANY_PORT)) {
            CompletableFuture<WireVersion.Peer> other = serve(server, LONG, WireVersion::exchange);
            sendTo(server.port(), 513);
            assertThatThrownBy(other::get)
                    .cause()
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("closed the connection before the version was exchanged");
        }
    }

    /** A client that sends one message of that length and waits for whatever happens to it. */
    private void sendTo(int port, int length) throws Exception {
        try (SynchronousId client = SynchronousId.create(PortSpace.TCP)) {
            client.resolve(new InetSocketAddress(InetAddress.getByName(address), port), LONG);
            DeviceContext device = client.id().device().orElseThrow();
            try (CompletionQueue queue = device.createCompletionQueue(4);
                    ProtectionDomain domain = device.allocateProtectionDomain()) {
                QueuePair queuePair = client.id().createQueuePair(domain, config -> config.completionQueue(queue));
                client.connect(config -> {}, LONG);
                MemoryRegion region = domain.allocateMemory(1024, AccessFlag.LOCAL_WRITE);
                assertThat(queuePair.tryPostSend(0, region.slice(0, length), SendFlags.SIGNALED))
                        .isTrue();
                WorkCompletions completions = WorkCompletions.allocate(1);
                long deadline = System.nanoTime() + LONG.toNanos();
                while (queue.poll(completions) == 0) {
                    assertThat(System.nanoTime()).isLessThan(deadline);
                    Thread.onSpinWait();
                }
            }
        }
    }
}
