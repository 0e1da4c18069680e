// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program in a JVM of its own: for what changes or breaks the whole JVM, such as limits and the carriers of virtual
 * threads.
 */
public final class ChildJvm {
    private static final int MINUTES = 2;

    private ChildJvm() {}

    /**
     * Runs a program with the class path of this JVM, and fails if it does not end well within two minutes.
     *
     * @param main with a {@code main} method
     * @param flags of the JVM
     * @return the lines that it printed
     */
    public static List<String> run(Class<?> main, String... flags) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(List.of(flags));
        command.add(main.getName());
        File printed = File.createTempFile("child-jvm", ".txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(printed)
                .start();
        try {
            boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
            List<String> lines = Files.readAllLines(printed.toPath());
            assertThat(ended).as("it hangs; it printed %s", lines).isTrue();
            assertThat(process.exitValue()).as(String.join("\n", lines)).isZero();
            return lines;
        } finally {
            process.destroyForcibly();
            Files.delete(printed.toPath());
        }
    }
}
