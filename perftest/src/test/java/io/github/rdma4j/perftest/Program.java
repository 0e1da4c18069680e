// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import java.io.PrintStream;
import java.util.List;

/** Runs a command line of the program in this JVM. */
public final class Program {
    private Program() {}

    public static CommandRun run(String commandLine) {
        return run(List.of(commandLine.strip().split(" +")));
    }

    public static CommandRun run(List<String> arguments) {
        return CommandRun.of((out, err) -> run(arguments, out, err));
    }

    /** Runs it with streams that can be read before it has ended; returns its status. */
    public static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return Main.run(arguments, out, err);
    }
}
