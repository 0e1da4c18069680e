// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Commands of the shell, which a test changes its machine by. */
public final class Shell {
    /** A JVM in an emulated guest takes a minute for what it does in seconds elsewhere. */
    private static final long LIMIT_SECONDS = 240;

    private Shell() {}

    /**
     * Runs a command, which must succeed.
     *
     * @return its standard output and standard error
     */
    public static String run(String command) throws InterruptedException {
        try {
            Path printed = Files.createTempFile("printed", ".txt");
            try {
                Process process = new ProcessBuilder("sh", "-c", command)
                        .redirectErrorStream(true)
                        .redirectOutput(printed.toFile())
                        .start();
                boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
                process.destroyForcibly();
                assertThat(ended).as("it hangs: %s", command).isTrue();
                String text = Files.readString(printed, StandardCharsets.UTF_8);
                assertThat(process.exitValue()).as("%s: %s", command, text).isZero();
                return text;
            } finally {
                Files.delete(printed);
            }
        } catch (IOException e) {
            throw new AssertionError(command, e);
        }
    }
}
