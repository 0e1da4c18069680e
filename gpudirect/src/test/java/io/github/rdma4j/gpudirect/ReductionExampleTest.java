// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.nccl.StandInNccl;
import io.github.rdma4j.verbs.ExamplePrograms;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The example of docs/nccl.md: two ranks that are processes, and find each other by TCP. */
@ExtendWith({StandInDriver.class, StandInNccl.class})
class ReductionExampleTest {
    private static final long LIMIT_SECONDS = 60;

    @Test
    void twoProcessesAddUpTheirNumbers() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        List<Process> ranks = new ArrayList<>();
        try {
            for (int rank = 0; rank < 2; rank++) {
                ranks.add(start(rank, port));
            }
            for (int rank = 0; rank < 2; rank++) {
                Process process = ranks.get(rank);
                String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
                assertThat(output).contains("rank %d of 2, NCCL 2.30.7: 3.0".formatted(rank));
                assertThat(process.exitValue()).isZero();
            }
        } finally {
            ranks.forEach(Process::destroyForcibly);
        }
    }

    private static Process start(int rank, int port) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                StandInDriver.jvmOption(),
                "-Dio.github.rdma4j.nccl.library=" + StandInNccl.library(),
                "-cp",
                ExamplePrograms.classes("AllReduce") + ":" + System.getProperty("java.class.path"),
                "AllReduce",
                Integer.toString(rank),
                "2",
                Integer.toString(rank),
                "127.0.0.1",
                Integer.toString(port));
        builder.environment().put("RDMA4J_STANDIN", "devices=2");
        builder.environment().put("RDMA4J_NCCL_STANDIN", "cuda=" + StandInDriver.library());
        return builder.redirectErrorStream(true).start();
    }
}
