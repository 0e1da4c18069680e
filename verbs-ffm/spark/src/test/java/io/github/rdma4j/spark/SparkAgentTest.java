// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparkAgentTest {
    @TempDir
    Path folder;

    private String output(String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
        command.add("-Dlog4j2.configurationFile=org/apache/spark/log4j2-defaults.properties");
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), FetchRun.class.getName()));
        command.addAll(List.of("RDMA", "127.0.0.1", "64", "8"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes());
    }

    @Test
    void processesWithTheAgentFetchAndLogTheTransport() throws IOException {
        assertThat(output("-javaagent:" + SparkCluster.agentJar(folder)))
                .contains("mode RDMA, 64 KiB: ")
                .contains("Spark serves blocks at /127.0.0.1:")
                .containsOnlyOnce("Spark fetches blocks from 127.0.0.1 over TCP: ")
                .doesNotContain("cannot add");
    }

    @Test
    void processWithoutTheAgentRefusesTheMode() throws IOException {
        assertThat(output()).contains("No enum constant org.apache.spark.network.util.IOMode.RDMA");
    }
}
