// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.findings;

import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.util.List;
import java.util.OptionalInt;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** The command line of a command that only has options; subclasses add their own. */
public abstract class CommandOptions {
    private static final int BEHIND_ALL = 1000;

    @Option(
            names = {"-h", "--help"},
            order = BEHIND_ALL,
            usageHelp = true,
            description = "Show this help screen.")
    private boolean help;

    @Parameters(hidden = true)
    private String[] superfluous = new String[0];

    /**
     * Refuses invalid options.
     *
     * @throws IllegalParameterException if an option is invalid
     * @throws InvalidPathException if a given name cannot be the name of a file
     */
    protected abstract void check();

    /**
     * Parses a command line. Handles it if it requests help or is invalid.
     *
     * @param arguments the arguments after the command's name
     * @param out receives the help
     * @param complaints reports errors of the command line
     * @return the exit status if the command line has been handled; empty if the command must run
     */
    public final OptionalInt read(List<String> arguments, PrintStream out, Complaints complaints) {
        CommandLine line = new CommandLine(this).setOverwrittenOptionsAllowed(true);
        try {
            line.parseArgs(arguments.toArray(String[]::new));
            if (help) {
                line.usage(out);
                return OptionalInt.of(0);
            }
            if (superfluous.length > 0) {
                throw new IllegalParameterException("'" + superfluous[0] + "': what is that? There are only options");
            }
            check();
            return OptionalInt.empty();
        } catch (ParameterException | IllegalParameterException | InvalidPathException failure) {
            return OptionalInt.of(complaints.usage(failure));
        }
    }
}
