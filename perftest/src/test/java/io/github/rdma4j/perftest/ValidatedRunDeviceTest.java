// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** --data_validation with every tool, and with sides that cannot agree on it. */
@Tag("device")
@Timeout(600)
class ValidatedRunDeviceTest {
    private static final String COMMON = " --no-warm-up -u 18 -n 100 -p ";

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void awaitListening(int port) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!PeerProcess.listening(port)) {
            assertThat(System.nanoTime()).as("our server listens").isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ib_write_lat -s 2",
                "ib_write_lat -s 300",
                "ib_write_bw -s 16",
                "ib_write_bw -s 5000 -q 2",
                "ib_write_bw -s 64 -b",
                "ib_read_lat -s 64",
                "ib_read_bw -s 1000 -q 2",
                "ib_atomic_lat",
                "ib_atomic_bw -q 2",
            })
    void completeDataPasses(String tool) throws Exception {
        int port = freePort();
        String command = tool + " --data_validation" + COMMON + port;
        CompletableFuture<CommandRun> server = CompletableFuture.supplyAsync(() -> Program.run(command));
        awaitListening(port);
        CommandRun client = Program.run(command + " localhost");
        assertThat(client.status()).as("%s\nserver: %s", client, server.get()).isZero();
        assertThat(server.get().status()).as(server.get().toString()).isZero();
    }

    @Test
    void bothSidesMustWantIt() throws Exception {
        int port = freePort();
        CompletableFuture<CommandRun> server =
                CompletableFuture.supplyAsync(() -> Program.run("ib_write_lat" + COMMON + port));
        awaitListening(port);
        CommandRun client = Program.run("ib_write_lat --data_validation" + COMMON + port + " localhost");
        assertThat(client.status()).isEqualTo(1);
        assertThat(client.err()).contains("--data_validation was given to this side only", "to both sides or to none");
        assertThat(server.get().status()).isEqualTo(1);
        assertThat(server.get().err()).contains("--data_validation was given to the peer only");
    }

    @Test
    void toolsOfCCannotTakePart() throws Exception {
        int port = freePort();
        try (PeerProcess _ = PeerProcess.ofC("ib_write_lat -F -u 18 -p " + port).awaitListening(port)) {
            CommandRun client = Program.run("ib_write_lat --data_validation" + COMMON + port + " localhost");
            assertThat(client.status()).isEqualTo(1);
            assertThat(client.err()).contains("the peer is not rdma4j's tool", "run rdma4j's tool on both sides");
        }
    }
}
