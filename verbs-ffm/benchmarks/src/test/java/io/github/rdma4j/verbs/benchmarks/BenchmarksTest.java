// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compiles the null provider and runs every benchmark for a moment, to see that they work, not how fast; and counts
 * what a start links.
 */
class BenchmarksTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    private static final String HOME = System.getProperty("java.home");

    @TempDir
    private static Path folder;

    @BeforeAll
    static void compile() throws Exception {
        run(ROOT.resolve("scripts/lib/benchmark-libraries").toString(), HOME, folder.toString());
    }

    @Test
    void everyBenchmarkRunsOnTheNullProviderAndReadsWhatItPrepared() throws Exception {
        java("-Drdma4j.benchmarks.native=" + folder, SmokeRun.class);
    }

    /**
     * Each handle that is linked costs a program's start some 3 ms: one serves all calls outside the hot path, and
     * posting and polling have four of their own.
     */
    @Test
    void programsFirstOperationLinksFewHandles() throws Exception {
        assertThat(java("-Xlog:class+load", FirstOperation.class).lines().filter(line -> line.contains("DowncallStub")))
                .hasSizeLessThanOrEqualTo(5);
    }

    private static String java(String flag, Class<?> main) throws IOException, InterruptedException {
        return run(
                HOME + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                // Nothing is measured, so another run of JMH on this machine disturbs nothing.
                "-Djmh.ignoreLock=true",
                flag,
                "-cp",
                System.getProperty("java.class.path"),
                main.getName());
    }

    private static String run(String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LD_LIBRARY_PATH", folder.toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as("%s: %s", List.of(command), output).isZero();
        return output;
    }
}
