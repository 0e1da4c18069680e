// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A command line run in this JVM, with what it printed.
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

    public static CommandRun of(String commandLine) {
        return of(List.of(commandLine.strip().split(" +")));
    }

    public static CommandRun of(List<String> arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = run(
                arguments,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return new CommandRun(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Runs it with streams that can be read before it has ended; returns its status. */
    public static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return Main.run(arguments, out, err);
    }
}
