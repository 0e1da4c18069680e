// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Two sides of a test in this process. */
record GpuRun(CommandRun client, CommandRun server) {
    private static final Duration START = Duration.ofSeconds(60);

    static final String COMMON = " --no-warm-up -u 18 -p ";

    /** Runs them with options of each. */
    static GpuRun of(String tool, String server, String client) throws Exception {
        int port = freePort();
        CompletableFuture<CommandRun> serving =
                CompletableFuture.supplyAsync(() -> Program.run(tool + " " + server + COMMON + port));
        awaitListening(port);
        CommandRun asked = Program.run(tool + " " + client + COMMON + port + " localhost");
        return new GpuRun(asked, serving.get());
    }

    /** Has the machine look as if nvidia_peermem was loaded. */
    static void withPeerMemoryModule(Path root) throws IOException {
        Path module = Files.createDirectories(root.resolve("sys/module/nvidia_peermem"));
        Files.writeString(module.resolve("version"), "580.95.05\n");
        System.setProperty("io.github.rdma4j.gpudirect.root", root.toString());
    }

    static void withoutPeerMemoryModule() {
        System.clearProperty("io.github.rdma4j.gpudirect.root");
    }

    /** Fails unless both sides ended well. */
    GpuRun passed() {
        assertThat(client.status()).as(toString()).isZero();
        assertThat(server.status()).as(toString()).isZero();
        return this;
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    static void awaitListening(int port) throws Exception {
        long deadline = System.nanoTime() + START.toNanos();
        while (!PeerProcess.listening(port)) {
            assertThat(System.nanoTime()).as("our server listens").isLessThan(deadline);
            Thread.sleep(20);
        }
    }
}
