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

/** The command line of a command that takes options and nothing else; subclasses have the options of their own. */
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
     * Refuses what makes no sense.
     *
     * @throws IllegalParameterException if something does not
     * @throws InvalidPathException if no file can have a name that was given
     */
    protected abstract void check();

    /**
     * Reads a command line, and answers it if it asks for help or makes no sense.
     *
     * @param arguments behind the command's name
     * @param out gets the help
     * @param complaints tells what makes no sense
     * @return the exit status if it was answered; empty if the command is to be done
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
