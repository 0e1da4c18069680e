// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.perftest.command.ToolCommand;
import io.github.rdma4j.perftest.options.Tool;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A command run in this JVM, with what it printed.
 *
 * @param err without the note that two ends share one CPU, as in most guests, and without the progress of a slow run
 */
public record CommandRun(int status, String out, String err) {
    private static final Pattern ONE_CPU =
            Pattern.compile("(?m)^\\w+: (note|warning): 2 ends spin on this machine, .*\\R");

    private static final Pattern PROGRESS = Pattern.compile("(?m)^compare: .*, for \\d+ s\\R");

    /** Takes both out. */
    public CommandRun {
        err = PROGRESS.matcher(ONE_CPU.matcher(err).replaceAll("")).replaceAll("");
    }

    /** A command with its arguments. */
    @FunctionalInterface
    public interface Body {
        /** Runs it and returns its exit status. */
        int run(PrintStream out, PrintStream err);
    }

    public static CommandRun of(Body body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = body.run(
                new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8));
        return new CommandRun(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Runs a tool that has no options for limits. */
    public static CommandRun of(Tool tool, String arguments) {
        return of((out, err) -> new ToolCommand(tool, _ -> Optional::empty, out, err)
                .run(arguments.isBlank() ? List.of() : List.of(arguments.strip().split(" +"))));
    }
}
