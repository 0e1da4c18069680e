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
import picocli.CommandLine.TypeConversionException;

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

    /** Refuses a number outside a range; null is an option that was not given. */
    protected static void within(String name, Number value, long least, long most) {
        if (value != null && (value.longValue() < least || value.longValue() > most)) {
            throw new IllegalParameterException(name + ": " + value + " is not in " + least + ".." + most);
        }
    }

    /** Returns a number of bytes from 1 on, which may have the unit K, M or G (2^10, 2^20, 2^30). */
    protected static long bytes(String name, String text, long most) {
        if (!text.matches("\\d{1,13}[KMGkmg]?")) {
            throw new IllegalParameterException(
                    name + ": '" + text + "' is no number of bytes, such as 4096, 64K, 16M or 1G");
        }
        int unit = "KMG".indexOf(Character.toUpperCase(text.charAt(text.length() - 1))) + 1;
        int digits = text.length() - Math.min(unit, 1);
        long number = Long.parseLong(text.substring(0, digits));
        long largest = most >> 10 * unit;
        if (number < 1 || number > largest) {
            throw new IllegalParameterException(
                    name + ": " + text + " is not in 1.." + largest + text.substring(digits));
        }
        return number << 10 * unit;
    }

    private static int whole(String text) {
        try {
            return Math.toIntExact(Long.parseLong(text));
        } catch (NumberFormatException _) {
            throw new TypeConversionException("'" + text + "' is not a whole number");
        } catch (ArithmeticException _) {
            throw new TypeConversionException("'" + text + "' is out of range");
        }
    }

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
        line.registerConverter(int.class, CommandOptions::whole);
        line.registerConverter(Integer.class, CommandOptions::whole);
        try {
            IllegalParameterException.whenOneIsEmpty(arguments);
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
