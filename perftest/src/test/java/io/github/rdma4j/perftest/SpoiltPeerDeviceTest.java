// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.wire.Conversation;
import io.github.rdma4j.perftest.wire.FakePeer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs a whole tool against a peer that sends damaged messages. The tool prints one line, exits with a status and
 * leaves nothing behind. HandshakeFuzzTest tries many more messages with the parser alone. A failure names the seed.
 */
@Tag("device")
@Timeout(600)
class SpoiltPeerDeviceTest {
    private static final long SEED = Long.getLong("rdma4j.fuzz.seed", System.nanoTime());
    private static final int CONVERSATIONS = 12;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String TOOL = "ib_write_bw -n 20 -s 4096 -t 4 -u 8 --no-warm-up --timeout 2 -p ";

    private static void play(Socket socket, byte[] stream) throws IOException {
        socket.getOutputStream().write(stream);
        socket.shutdownOutput();
        socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    }

    /** The other side may close before it has received everything. */
    private static void playUntilLeft(Socket socket, byte[] stream) {
        try {
            play(socket, stream);
        } catch (IOException _) {
            // It has.
        }
    }

    @Test
    void clientReportsTheServersFault() throws Exception {
        for (int i = 0; i < CONVERSATIONS; i++) {
            byte[] stream = Conversation.spoilt(new SplittableRandom(SEED + i));
            try (FakePeer peer = new FakePeer(socket -> playUntilLeft(socket, stream))) {
                assertSaid(Program.run(TOOL + peer.port() + " 127.0.0.1"), SEED + i);
            }
        }
    }

    @Test
    void serverReportsTheClientsFault() throws Exception {
        for (int i = 0; i < CONVERSATIONS; i++) {
            byte[] stream = Conversation.spoilt(new SplittableRandom(SEED + i));
            int port;
            try (ServerSocket free = new ServerSocket(0)) {
                port = free.getLocalPort();
            }
            CompletableFuture<CommandRun> server =
                    CompletableFuture.supplyAsync(() -> Program.run(TOOL.replace("--timeout 2", "--timeout 5") + port));
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (!PeerProcess.listening(port) && !server.isDone()) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                Thread.sleep(5);
            }
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
                playUntilLeft(client, stream);
            }
            assertSaid(server.get(LIMIT.toSeconds(), TimeUnit.SECONDS), SEED + i);
        }
    }

    /**
     * A server that only waits may accept the damaged messages and succeed. A client has no peer to write to, and
     * fails.
     */
    private static void assertSaid(CommandRun run, long seed) {
        assertThat(run.err()).as("rdma4j.fuzz.seed=%d\n%s", seed, run).doesNotContain("Exception", "\tat ");
        assertThat(run.err().lines()).as("rdma4j.fuzz.seed=%d", seed).hasSizeLessThanOrEqualTo(3);
        if (run.status() != 0) {
            assertThat(run.status()).as("rdma4j.fuzz.seed=%d\n%s", seed, run).isEqualTo(1);
            assertThat(run.err()).as("rdma4j.fuzz.seed=%d", seed).startsWith("ib_write_bw: ");
        }
    }
}
