// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.perftest.document.ResultsSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A side with the memory of the stand-in's GPU, staged, and one of the C tools with host memory. */
@Tag("device")
@Timeout(600)
@ExtendWith(StandInDriver.class)
class GpuInteropDeviceTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ib_write_bw -s 70000 -n 50 -b",
                "ib_send_bw -s 70000 -n 50",
                "ib_read_bw -s 3000 -n 50",
                "ib_write_lat -n 20",
                "ib_send_lat -n 20",
                "ib_atomic_bw -n 50"
            })
    void inBothRoles(String tool) throws Exception {
        int port = GpuRun.freePort();
        String command = tool + " -F -u 18 -p " + port;
        Path json = folder.resolve("x.json");
        try (PeerProcess theirs = PeerProcess.ofC(command).awaitListening(port)) {
            CommandRun ours =
                    Program.run(command + " --no-warm-up --use_cuda=0 --out_json_file=" + json + " localhost");
            assertThat(ours.status()).as(ours + theirs.output()).isZero();
            assertThat(theirs.await(LONG)).as(theirs.output()).isZero();
        }
        String text = Files.readString(json);
        assertThat(ResultsSchema.faults(text)).isEmpty();
        JsonNode info = new ObjectMapper().readTree(text).at("/rdma4j/test");
        assertThat(info.get("gpu_path").asText()).isEqualTo("staged");
        assertThat(info.at("/gpu_path_reason/peermem").asText()).contains("no peer-memory module is loaded");

        CompletableFuture<CommandRun> ours =
                CompletableFuture.supplyAsync(() -> Program.run(command + " --no-warm-up --use_cuda=0"));
        GpuRun.awaitListening(port);
        try (PeerProcess theirs = PeerProcess.ofC(command + " localhost")) {
            assertThat(theirs.await(LONG)).as(theirs.output()).isZero();
            assertThat(ours.get().status()).as(ours.get() + theirs.output()).isZero();
        }
        assertThat(StandInDriver.open()).isEmpty();
    }
}
