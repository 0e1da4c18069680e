// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Compiles a C program and gives back what it prints. A machine without compiler or headers fails the test. */
public final class CProgram {
    private CProgram() {}

    public static List<String> run(String source) {
        try {
            Path folder = Files.createTempDirectory("rdma4j-c");
            Path file = folder.resolve("program.c");
            Path program = folder.resolve("program");
            try {
                Files.writeString(file, source);
                execute(List.of("cc", "-std=gnu11", "-Wall", "-o", program.toString(), file.toString()));
                return execute(List.of(program.toString()));
            } finally {
                Files.deleteIfExists(program);
                Files.deleteIfExists(file);
                Files.deleteIfExists(folder);
            }
        } catch (IOException e) {
            throw new AssertionError(
                    "there is no C compiler; install the Debian packages gcc libc6-dev libibverbs-dev librdmacm-dev",
                    e);
        }
    }

    private static List<String> execute(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> lines = process.inputReader().lines().toList();
        try {
            if (process.waitFor() != 0) {
                throw new AssertionError(command.getFirst() + " failed:\n" + String.join("\n", lines));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + command.getFirst(), e);
        }
        return lines;
    }
}
