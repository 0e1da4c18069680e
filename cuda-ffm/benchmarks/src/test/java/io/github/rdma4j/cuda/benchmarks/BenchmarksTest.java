// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles the stand-in and runs every benchmark for a moment: to see that they work, not how fast. */
class BenchmarksTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    @Test
    void everyBenchmarkRunsOnTheStandIn(@TempDir Path folder) throws Exception {
        run(ROOT.resolve("scripts/lib/cuda-benchmark-libraries").toString(), folder.toString());
        run(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                // Nothing is measured, so another run of JMH on this machine disturbs nothing.
                "-Djmh.ignoreLock=true",
                "-Drdma4j.benchmarks.native=" + folder,
                "-Dio.github.rdma4j.cuda.library=" + folder.resolve("libcuda-standin.so"),
                "-cp",
                System.getProperty("java.class.path"),
                SmokeRun.class.getName());
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as("%s: %s", List.of(command), output).isZero();
    }
}
