// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tools on InfiniBand, beside C's: two ports of a seeming mlx5 adapter ({@code verbs-ffm/src/test/c/mlx5-kernel}),
 * each with a LID and libmlx5 itself in its process. This JVM has no such adapter; the one that it starts does.
 */
@EnabledOnOs(architectures = "amd64", disabledReason = "the stand-in was tried on x86-64 alone")
class InfiniBandTest {
    private static final Path SOURCE =
            Path.of("../verbs-ffm/src/test/c/mlx5-kernel").toAbsolutePath().normalize();

    private static final Duration LIMIT = Duration.ofMinutes(5);
    static final int C_PORT = 1;
    static final int JAVA_PORT = 2;

    @TempDir
    private Path folder;

    /** A command on a port of its own. */
    private List<String> onPort(int lid) {
        return List.of(
                "env",
                "RDMA4J_MLX5_FABRIC=" + folder.resolve("fabric"),
                "RDMA4J_MLX5_LID=" + lid,
                "MLX5_DEBUG_FILE=/dev/null",
                "sh",
                SOURCE.resolve("run").toString(),
                folder.resolve("mlx5-kernel.so").toString(),
                folder.resolve("sys" + lid).toString());
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        try (ProcessSide process = new ProcessSide(command)) {
            assertThat(process.await(LIMIT)).as(process.output()).isEqualTo(0);
            return process.output();
        }
    }

    @Test
    void toolsMeetThoseOfC() throws IOException, InterruptedException {
        meet();
    }

    private void meet(String... flags) throws IOException, InterruptedException {
        run(List.of(
                "sh",
                SOURCE.resolveSibling("kernel/build").toString(),
                "mlx5",
                folder.resolve("mlx5-kernel.so").toString()));
        Files.createDirectory(folder.resolve("fabric"));
        List<String> environmentOfC = new ArrayList<>(List.of("env", "-u", "LD_PRELOAD"));
        environmentOfC.addAll(onPort(C_PORT));
        List<String> command = new ArrayList<>(onPort(JAVA_PORT));
        command.addAll(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(flags));
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-D%s=%s".formatted(EncountersOnInfiniBand.ENVIRONMENT, String.join("\n", environmentOfC)),
                "-cp",
                System.getProperty("java.class.path"),
                "org.junit.platform.console.ConsoleLauncher",
                "execute",
                "--select-class=" + EncountersOnInfiniBand.class.getName(),
                "--include-classname=.*",
                "--details=tree",
                "--disable-banner",
                "--disable-ansi-colors",
                "--fail-if-no-tests"));
        assertThat(run(command)).containsPattern("[1-9]\\d* tests successful");
    }
}
