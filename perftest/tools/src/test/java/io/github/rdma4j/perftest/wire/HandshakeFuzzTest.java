// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.rdma4j.verbs.device.Mtu;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Peers that send random and spoilt messages: each conversation ends soon, with an agreement within bounds or with an
 * error that names the step, and takes little memory.
 *
 * <p>Every run is another one. A failure names the seed of its conversation: {@code -Drdma4j.fuzz.seed=…
 * -Drdma4j.fuzz.conversations=1} plays that one again, and a larger number plays more than usual.
 */
@Timeout(600)
class HandshakeFuzzTest {
    private static final long SEED = Long.getLong("rdma4j.fuzz.seed", System.nanoTime());
    private static final int OVER_RDMA = Integer.getInteger("rdma4j.fuzz.conversations", 30_000);
    /** Each has a socket. */
    private static final int OVER_TCP = Math.max(1, OVER_RDMA / 10);

    /** Where the peer stays silent, a conversation takes this long. */
    private static final Duration LIMIT = Duration.ofMillis(40);
    /** Where it does not, nothing is waited for but the peer's thread. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final long MOST_NANOSECONDS = Duration.ofSeconds(20).toNanos();

    /** Classes that are loaded on the way included. */
    private static final long MOST_BYTES = 8 << 20;

    private static final int SILENT_ONE_IN = 64;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The numbers of conversations by their results. */
    private int agreements;

    private int errors;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void overTcpWhateverThePeerSends(boolean asServer) throws Exception {
        System.out.println("rdma4j.fuzz.seed=" + SEED);
        for (int i = 0; i < OVER_TCP; i++) {
            RandomGenerator random = new SplittableRandom(SEED + i);
            Conversation conversation = Conversation.any(random);
            List<byte[]> messages = conversation.ofPeer(false);
            Mutations.spoil(messages, random);
            byte[] stream = Conversation.stream(messages);
            boolean silent = random.nextInt(SILENT_ONE_IN) == 0;
            if (asServer) {
                withOurServer(conversation, stream, silent, SEED + i);
            } else {
                withOurClient(conversation, stream, silent, SEED + i);
            }
        }
        assertMixed(OVER_TCP);
    }

    private void withOurServer(Conversation conversation, byte[] stream, boolean silent, long seed) throws Exception {
        try (ControlServer server = ControlServer.listen(0)) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
            Thread peer = Thread.ofVirtual().start(() -> {
                try (Socket socket = new Socket()) {
                    socket.connect(address);
                    play(socket, stream, silent);
                } catch (IOException _) {
                    // Our side has had enough.
                }
            });
            Duration limit = silent ? LIMIT : PATIENCE;
            check(seed, () -> {
                try (ControlChannel channel = server.accept(PATIENCE, limit)) {
                    return conversation.speak(channel, limit);
                }
            });
            assertThat(peer.join(Duration.ofSeconds(60)))
                    .as("seed %d: the peer's end", seed)
                    .isTrue();
        }
    }

    private void withOurClient(Conversation conversation, byte[] stream, boolean silent, long seed) throws Exception {
        try (FakePeer peer = new FakePeer(socket -> play(socket, stream, silent))) {
            Duration limit = silent ? LIMIT : PATIENCE;
            check(seed, () -> {
                try (ControlChannel channel = ControlChannel.connect("127.0.0.1", peer.port(), limit)) {
                    return conversation.speak(channel, limit);
                }
            });
        }
    }

    /** Sends all at once, ends or falls silent, and stays until our side has gone. */
    private static void play(Socket socket, byte[] stream, boolean silent) {
        try {
            speak(socket, stream, silent);
        } catch (IOException _) {
            // Our side has had enough of what was spoilt.
        }
    }

    private static void speak(Socket socket, byte[] stream, boolean silent) throws IOException {
        socket.getOutputStream().write(stream);
        if (!silent) {
            socket.shutdownOutput();
        }
        InputStream in = socket.getInputStream();
        byte[] dropped = new byte[1024];
        while (in.read(dropped) >= 0) {
            continue;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void overRdmaWhateverThePeerSends(boolean asServer) {
        System.out.println("rdma4j.fuzz.seed=" + SEED);
        for (int i = 0; i < OVER_RDMA; i++) {
            RandomGenerator random = new SplittableRandom(SEED + i);
            Conversation conversation = Conversation.any(random);
            List<byte[]> messages = conversation.ofPeer(true);
            Mutations.spoil(messages, random);
            check(SEED + i, () -> conversation.speak(new Recorded(asServer, messages), LIMIT));
        }
        assertMixed(OVER_RDMA);
    }

    @Test
    void honestPeerIsUnderstood() throws Exception {
        for (Conversation conversation : List.of(
                new Conversation(3, true, true, "6.06"),
                new Conversation(1, false, false, "6.06"),
                new Conversation(2, true, false, "6.29"))) {
            Conversation.Agreement agreement =
                    conversation.speak(new Recorded(false, conversation.ofPeer(true)), LIMIT);
            assertThat(agreement.mtu()).isEqualTo(Mtu.MTU_1024);
            assertThat(agreement.keys()).hasSize(conversation.queuePairs());
            assertThat(agreement.report()).isEqualTo(new BandwidthReport(65536, 5000, 101.5, 100.25, 1.5));
            byte[] stream = Conversation.stream(conversation.ofPeer(false));
            try (FakePeer peer = new FakePeer(socket -> play(socket, stream, false));
                    ControlChannel channel = ControlChannel.connect("127.0.0.1", peer.port(), PATIENCE)) {
                assertThat(conversation.speak(channel, PATIENCE)).isEqualTo(agreement);
            }
        }
    }

    /** One side of a conversation. */
    private interface Side {
        Conversation.Agreement speak();
    }

    private void check(long seed, Side side) {
        long time = System.nanoTime();
        long memory = THREADS.getCurrentThreadAllocatedBytes();
        try {
            assertWithinBounds(side.speak(), seed);
            agreements++;
        } catch (HandshakeException failure) {
            assertThat(failure.getMessage()).as("seed %d", seed).isNotBlank().hasSizeLessThan(1000);
            // Bytes of the peer must not get to the terminal as they are.
            assertThat(failure.getMessage()).as("seed %d", seed).matches("[ -~…]*");
            errors++;
        } catch (RuntimeException | Error failure) {
            throw new AssertionError("rdma4j.fuzz.seed=" + seed, failure);
        }
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - memory)
                .as("bytes allocated, seed %d", seed)
                .isLessThan(MOST_BYTES);
        assertThat(System.nanoTime() - time).as("duration, seed %d", seed).isLessThan(MOST_NANOSECONDS);
    }

    private static void assertWithinBounds(Conversation.Agreement agreement, long seed) {
        assertThat(agreement.layout().cycleBytes()).as("seed %d", seed).isIn(4096, 8192, 16384, 32768, 65536);
        assertThat(agreement.layout().cacheLineBytes()).as("seed %d", seed).isIn(64, 128, 256, 512, 1024);
        assertThat(agreement.mtu()).as("seed %d", seed).isLessThanOrEqualTo(Mtu.MTU_2048);
        for (PeerKeys keys : agreement.keys()) {
            assertThat(keys.lid() | keys.outstandingReads()).as("seed %d", seed).isBetween(0, 0xffff);
            assertThat(keys.queuePairNumber() | keys.packetSequenceNumber())
                    .as("seed %d", seed)
                    .isBetween(0, 0xffffff);
        }
    }

    /** The mutations are neither so harmless nor so gross that only one way is gone. */
    private void assertMixed(int conversations) {
        assertThat(agreements + errors).isEqualTo(conversations);
        if (conversations >= 1000) {
            assertThat(agreements).isGreaterThan(conversations / 100);
            assertThat(errors).isGreaterThan(conversations / 2);
        }
    }

    /** A channel that keeps messages apart, as a queue pair does, without one. */
    private static final class Recorded extends ControlChannel {
        private final Queue<byte[]> messages;

        Recorded(boolean server, List<byte[]> messages) {
            super(server, LIMIT);
            this.messages = new ArrayDeque<>(messages);
        }

        @Override
        public String peer() {
            return "10.99.0.1:18515";
        }

        @Override
        public InetAddress peerAddress() {
            return InetAddress.ofLiteral("10.99.0.1");
        }

        @Override
        boolean carriesBinaryKeys() {
            return true;
        }

        @Override
        void send(byte[] message, String step) {
            // Nobody listens.
        }

        @Override
        byte[] receive(int length, String step, Duration limit) {
            if (messages.isEmpty()) {
                throw closed(step, "no more messages", null);
            }
            return messages.remove();
        }

        @Override
        public boolean peerClosed() {
            return messages.isEmpty();
        }

        @Override
        public boolean awaitNews(Duration limit) {
            return true;
        }

        @Override
        public void close() {
            messages.clear();
        }
    }
}
