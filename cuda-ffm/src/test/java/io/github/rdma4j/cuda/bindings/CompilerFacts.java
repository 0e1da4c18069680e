// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.bindings;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Facts that the C compiler checks: each becomes a static assertion after some headers. Nothing is run, so the headers
 * need no library.
 */
public final class CompilerFacts {
    private static final Pattern FAILED = Pattern.compile("static assertion failed: \"([^\"]*)\"");

    private final List<String> lines = new ArrayList<>();
    private final List<String> options = new ArrayList<>(List.of("-std=gnu11", "-Wall", "-Werror", "-fsyntax-only"));

    /** A folder to find headers in. */
    public CompilerFacts folder(Path folder) {
        options.add("-I" + folder);
        return this;
    }

    /** A line of C, such as an include. */
    public CompilerFacts line(String text) {
        lines.add(text);
        return this;
    }

    /** Adds the fact that an expression is true, with the words to print if it is not. */
    public CompilerFacts that(String expression, String words) {
        lines.add("_Static_assert(%s, \"%s\");".formatted(expression, words));
        return this;
    }

    /** Adds the fact that a constant has the bits of the given number. */
    public CompilerFacts constant(String name, Number value) {
        String type = value instanceof Long ? "unsigned long long" : "unsigned int";
        String bits = value instanceof Long
                ? Long.toUnsignedString(value.longValue())
                : Integer.toUnsignedString(value.intValue());
        return that("(%s)(%s) == %sull".formatted(type, name, bits), "%s is not %s".formatted(name, value));
    }

    /** Adds the fact that a struct has the layout of the bindings. */
    public CompilerFacts struct(GeneratedStruct struct) {
        String type = struct.kind() + " " + struct.name();
        that("sizeof(%s) == %d".formatted(type, struct.size()), "%s is not of %d bytes".formatted(type, struct.size()));
        that("_Alignof(%s) == %d".formatted(type, struct.alignment()), type + " is aligned otherwise");
        struct.fields().forEach((field, extent) -> {
            that(
                    "offsetof(%s, %s) == %d".formatted(type, field, extent.offset()),
                    "%s, %s lies elsewhere".formatted(type, field));
            that(
                    "sizeof(((%s *)0)->%s) == %d".formatted(type, field, extent.size()),
                    "%s, %s is of another size".formatted(type, field));
        });
        return this;
    }

    /** Asks the compiler: the words of what is not true. */
    public List<String> differences() {
        try {
            Path file = Files.createTempFile("rdma4j-facts", ".c");
            try {
                Files.writeString(file, "#include <stddef.h>\n" + String.join("\n", lines) + "\n");
                return ask(file);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new AssertionError("there is no C compiler; install the Debian packages gcc libc6-dev", e);
        }
    }

    private List<String> ask(Path file) throws IOException {
        List<String> command = new ArrayList<>(List.of("cc"));
        command.addAll(options);
        command.add(file.toString());
        Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
        compiler.getOutputStream().close();
        String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status;
        try {
            status = compiler.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for the compiler", e);
        }
        List<String> differences = new ArrayList<>();
        Matcher matcher = FAILED.matcher(output);
        while (matcher.find()) {
            differences.add(matcher.group(1));
        }
        long errors = output.lines().filter(line -> line.contains("error: ")).count();
        if (status != 0 && errors != differences.size()) {
            throw new AssertionError("the compiler says something else:\n" + output);
        }
        return differences;
    }
}
