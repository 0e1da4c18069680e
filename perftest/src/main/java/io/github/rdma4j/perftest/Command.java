// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import java.io.PrintStream;
import java.util.List;

/**
 * A command of the program.
 *
 * @param name the word that chooses it
 * @param title the summary in the list of commands
 * @param body runs it; a lambda, because a method reference would load the command's classes, such as CUDA, with the
 *     list
 */
record Command(String name, String title, Body body) {
    /** What a command does. */
    @FunctionalInterface
    interface Body {
        /**
         * Runs the command.
         *
         * @param arguments after the command's name, as the user typed them
         * @param out standard output
         * @param err standard error
         * @return the exit status
         */
        int run(List<String> arguments, PrintStream out, PrintStream err);
    }
}
