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
import java.util.Locale;

/**
 * Two ports of a seeming adapter ({@code verbs-ffm/src/test/c}), with its driver's user-space library itself in each
 * process. The tests run in a JVM on one port, and other processes on the other port.
 *
 * @param device mlx5 or efa
 * @param folder for the adapter's library, its sysfs and what connects the ports
 */
record StandInAdapter(String device, Path folder) {
    /** A property: the command that runs a command on the other port, a word in each line. */
    static final String OTHER_PORT = "rdma4j.test.other.port";

    /** LIDs, or on EFA what stands for them. */
    static final int OTHER = 1;

    static final int OWN = 2;
    private static final Path SOURCES =
            Path.of("../verbs-ffm/src/test/c").toAbsolutePath().normalize();
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** A command on a port of its own. */
    private List<String> onPort(int lid) {
        String variable = "RDMA4J_" + device.toUpperCase(Locale.ROOT);
        return List.of(
                "env",
                variable + "_FABRIC=" + folder.resolve("fabric"),
                variable + "_LID=" + lid,
                "MLX5_DEBUG_FILE=/dev/null",
                "VERBS_LOG_FILE=/dev/null",
                "sh",
                SOURCES.resolve(device + "-kernel/run").toString(),
                library(),
                folder.resolve("sys" + lid).toString());
    }

    private String library() {
        return folder.resolve(device + "-kernel.so").toString();
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        try (ProcessSide process = new ProcessSide(command)) {
            assertThat(process.await(LIMIT)).as(process.output()).isEqualTo(0);
            return process.output();
        }
    }

    /** Runs the tests of a class in a JVM on one of the ports. */
    void play(Class<?> tests) throws IOException, InterruptedException {
        run(List.of("sh", SOURCES.resolve("kernel/build").toString(), device, library()));
        Files.createDirectory(folder.resolve("fabric"));
        List<String> other = new ArrayList<>(List.of("env", "-u", "LD_PRELOAD"));
        other.addAll(onPort(OTHER));
        List<String> command = new ArrayList<>(onPort(OWN));
        command.addAll(java());
        command.addAll(List.of(
                "-D%s=%s".formatted(OTHER_PORT, String.join("\n", other)),
                "org.junit.platform.console.ConsoleLauncher",
                "execute",
                "--select-class=" + tests.getName(),
                "--include-classname=.*",
                "--details=tree",
                "--disable-banner",
                "--disable-ansi-colors",
                "--fail-if-no-tests"));
        assertThat(run(command)).containsPattern("[1-9]\\d* tests successful");
    }

    /** The beginning of the command of a JVM like this one. */
    static List<String> java() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"));
    }

    /** The beginning of a command on the other port, in the JVM of the tests. */
    static List<String> otherPort() {
        return System.getProperty(OTHER_PORT).lines().toList();
    }
}
