// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.cuda.StandInDriver;
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
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole command in its short form: two hosts in one JVM, on one device, with the stand-in's GPUs. mesh.bats has
 * four machines.
 */
@Tag("device")
@Timeout(300)
@ExtendWith(StandInDriver.class)
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

    /** Runs two hosts with options of their own, and returns the status of rank 0. */
    private int mesh(Path json, String first, String second) throws Exception {
        String common = "--ranks 2 --server 127.0.0.1 --port " + freePort()
                + " --arrival 250 -n 20 --repeats 1 --no-warm-up --out_json " + json + " --rank ";
        ByteArrayOutputStream other = new ByteArrayOutputStream();
        CompletableFuture<Integer> one = CompletableFuture.supplyAsync(
                () -> run(other, other, common + "1 " + second),
                task -> Thread.ofPlatform().daemon().start(task));

        int status = run(out, err, common + "0 " + first);

        assertThat(one.get(60, TimeUnit.SECONDS)).as(other.toString()).isZero();
        assertThat(ResultsSchema.faults(Files.readString(json))).isEmpty();
        return status;
    }

    private static JsonNode results(Path json) throws IOException {
        return new ObjectMapper().readTree(json.toFile()).at("/mesh/pairs/0/results");
    }

    @Test
    void twoHostsAreMeasuredInBothDirectionsFromHostAndGpuMemory(@TempDir Path folder) throws Exception {
        StandInDriver.devices(2);
        Path json = folder.resolve("mesh.json");

        int status = mesh(json, "--use_cuda 0 --gpu-path staged", "--use_cuda 1 --gpu-path staged");

        String report = out.toString(StandardCharsets.UTF_8);
        assertThat(status).as("%s%n%s", report, err).isZero();
        assertThat(report)
                .contains("1 of 1 pairs measured", "\nGPU memory latency [usec]: ", ", path: staged; median ")
                .endsWith("No host and no link stands out.\n");
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("mesh: round 1 of 1: ");
        JsonNode results = results(json);
        assertThat(results.findValuesAsText("tool"))
                .containsExactly(
                        "ib_write_lat", "ib_write_bw", "ib_write_bw", "ib_write_lat", "ib_write_bw", "ib_write_bw");
        assertThat(results.findValuesAsText("memory")).containsExactly("host", "host", "host", "gpu", "gpu", "gpu");
        assertThat(results)
                .allSatisfy(each -> assertThat(each.path("median").asDouble()).isPositive());
        assertThat(StandInDriver.open()).as("what is left open").isEmpty();
    }

    @Test
    void hostWithoutTheGpuIsNamedAndMeasuredWithItsHostMemory(@TempDir Path folder) throws Exception {
        Path json = folder.resolve("mesh.json");

        int status = mesh(json, "--use_cuda 0 --gpu-path staged", "--use_cuda 7");

        String report = out.toString(StandardCharsets.UTF_8);
        assertThat(status).as("%s%n%s", report, err).isEqualTo(MeshCommand.FOUND);
        assertThat(report.replaceAll("\\s+", " "))
                .contains(": no GPU memory was measured: --use_cuda: 7 is not allowed; there is CUDA device 0, ");
        assertThat(results(json).findValuesAsText("memory")).containsExactly("host", "host", "host");
    }
}
