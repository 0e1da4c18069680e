// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.perftest.document.ResultsSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole command in its short form: two hosts in one JVM, on one device. mesh.bats has four machines. */
@Tag("device")
@Timeout(300)
class MeshDeviceTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private static int run(ByteArrayOutputStream out, ByteArrayOutputStream err, String line) {
        return MeshCommand.run(
                List.of(line.split(" ")),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void twoHostsAreMeasuredInBothDirections(@TempDir Path folder) throws Exception {
        Path json = folder.resolve("mesh.json");
        String common = "--ranks 2 --server 127.0.0.1 --port " + freePort()
                + " --arrival 250 -n 50 --repeats 1 --no-warm-up --rank ";
        ByteArrayOutputStream other = new ByteArrayOutputStream();
        CompletableFuture<Integer> one = CompletableFuture.supplyAsync(
                () -> run(other, other, common + 1),
                task -> Thread.ofPlatform().daemon().start(task));

        int status = run(out, err, common + "0 --out_json " + json);

        String report = out.toString(StandardCharsets.UTF_8);
        assertThat(status).as("%s%n%s", report, err).isZero();
        assertThat(one.get(60, TimeUnit.SECONDS)).as(other.toString()).isZero();
        assertThat(report).contains("1 of 1 pairs measured").endsWith("No host and no link stands out.\n");
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("mesh: round 1 of 1: ");
        String document = Files.readString(json);
        assertThat(ResultsSchema.faults(document)).isEmpty();
        JsonNode results = new ObjectMapper().readTree(document).at("/mesh/pairs/0/results");
        assertThat(results.findValuesAsText("tool")).containsExactly("ib_write_lat", "ib_write_bw", "ib_write_bw");
        assertThat(results)
                .allSatisfy(each -> assertThat(each.path("median").asDouble()).isPositive());
    }
}
