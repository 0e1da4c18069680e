// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles the null provider and runs every benchmark for a moment: to see that they work, not how fast. */
class BenchmarksTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    @Test
    void everyBenchmarkRunsOnTheNullProviderAndReadsWhatItPrepared(@TempDir Path folder) throws Exception {
        String home = System.getProperty("java.home");
        run(folder, ROOT.resolve("scripts/lib/benchmark-libraries").toString(), home, folder.toString());
        run(
                folder,
                home + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-Drdma4j.benchmarks.native=" + folder,
                "-cp",
                System.getProperty("java.class.path"),
                SmokeRun.class.getName());
    }

    private static void run(Path folder, String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LD_LIBRARY_PATH", folder.toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as("%s: %s", List.of(command), output).isZero();
    }
}
