// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Compiles a C program or library, and runs it if wanted. Without compiler or headers the test fails. */
public final class CProgram {
    private CProgram() {}

    public static List<String> run(String source) {
        try {
            Path folder = Files.createTempDirectory("rdma4j-c");
            Path program = folder.resolve("program");
            try {
                compile(program, source, List.of());
                return execute(List.of(program.toString()));
            } finally {
                Files.deleteIfExists(program);
                Files.deleteIfExists(folder);
            }
        } catch (IOException e) {
            throw noCompiler(e);
        }
    }

    /**
     * Makes a library.
     *
     * @param file that it becomes; its name is the SONAME, too
     * @param source in C
     * @param libraries that it needs, such as {@code -libverbs}
     */
    public static void library(Path file, String source, String... libraries) {
        try {
            List<String> options = new ArrayList<>(List.of("-shared", "-fPIC", "-Wl,-soname," + file.getFileName()));
            options.addAll(List.of(libraries));
            compile(file, source, options);
        } catch (IOException e) {
            throw noCompiler(e);
        }
    }

    /**
     * Makes a program.
     *
     * @param file that it becomes
     * @param source in C
     * @param libraries that it needs, such as {@code -libverbs}
     */
    public static void program(Path file, String source, String... libraries) {
        try {
            compile(file, source, List.of(libraries));
        } catch (IOException e) {
            throw noCompiler(e);
        }
    }

    private static void compile(Path output, String source, List<String> options) throws IOException {
        Path file = Files.createTempFile("rdma4j-c", ".c");
        try {
            Files.writeString(file, source);
            List<String> command =
                    new ArrayList<>(List.of("cc", "-std=gnu11", "-Wall", "-o", output.toString(), file.toString()));
            command.addAll(options);
            execute(command);
        } finally {
            Files.delete(file);
        }
    }

    private static AssertionError noCompiler(IOException e) {
        return new AssertionError(
                "there is no C compiler; install the Debian packages gcc libc6-dev libibverbs-dev librdmacm-dev", e);
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
