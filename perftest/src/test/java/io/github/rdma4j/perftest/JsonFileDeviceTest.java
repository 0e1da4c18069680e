// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The file of results that a run leaves. */
@Tag("device")
@Timeout(600)
class JsonFileDeviceTest {
    @Test
    void jsonFileHasAllSizes(@TempDir Path folder) throws Exception {
        int port = freePort();
        Path file = folder.resolve("all sizes.json");
        CompletableFuture<CommandRun> server =
                CompletableFuture.supplyAsync(() -> Program.run("ib_write_lat -a -n 5 -u 18 -p " + port));
        awaitOurs(port);
        CommandRun client = Program.run(List.of(
                "ib_write_lat", "-a", "-n", "5", "-u", "18", "-p", "" + port, "--out_json_file=" + file, "localhost"));
        assertThat(client.status()).as(client.toString()).isZero();
        assertThat(server.get().status()).isZero();
        JsonNode json = new ObjectMapper().readTree(Files.readAllBytes(file));
        assertThat(json.at("/rdma4j/sizes")).hasSize(23);
        assertThat(json.at("/results/MsgSize").asLong()).isEqualTo(1 << 23);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void awaitOurs(int port) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!PeerProcess.listening(port)) {
            assertThat(System.nanoTime()).as("our server listens").isLessThan(deadline);
            Thread.sleep(20);
        }
    }
}
