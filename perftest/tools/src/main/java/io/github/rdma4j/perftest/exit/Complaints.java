// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

import java.io.IOException;
import java.io.PrintStream;
import java.util.regex.Pattern;

/** Prints a command's errors to standard error, and returns the exit status. */
public final class Complaints {
    /** The exit status of a command that failed. */
    public static final int FAILED = 1;

    /** The exit status for a wrong command line. */
    public static final int USAGE = 2;

    /** Control characters, and characters that change the direction of text. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]");

    private final String name;
    private final String help;
    private final PrintStream err;

    /**
     * @param name the name of the command, with which each complaint starts
     * @param help the command line that prints its help
     * @param err standard error
     */
    public Complaints(String name, String help, PrintStream err) {
        this.name = name;
        this.help = help;
        this.err = err;
    }

    /** Reports a wrong command line; returns {@link #USAGE}. */
    public int usage(String message) {
        err.println(name + ": " + printable(message));
        err.println("Try '" + help + "'.");
        return USAGE;
    }

    /** Reports a parser's error, which may include its help: only the first line is the cause. */
    public int usage(RuntimeException failure) {
        return usage(failure.getMessage().lines().findFirst().orElse("").strip());
    }

    /** It could not be done; returns {@link #FAILED}. */
    public int failed(String message) {
        return failed(message, "");
    }

    /** Reports a failure and what the user can do about it; returns {@link #FAILED}. */
    public int failed(PerftestException failure) {
        return failed(failure.getMessage(), failure.remedy());
    }

    /**
     * Reports a failure.
     *
     * @param message the cause
     * @param remedy what the user can do about it, or an empty string
     * @return {@link #FAILED}
     */
    public int failed(String message, String remedy) {
        err.println(name + ": " + printable(message));
        if (!remedy.isEmpty()) {
            err.println("    " + printable(remedy));
        }
        return FAILED;
    }

    /** A message may contain text of a file or a peer, which must not control a terminal or look like another line. */
    private static String printable(String text) {
        return UNPRINTABLE.matcher(text).replaceAll("?");
    }

    /** A JSON document could not be written; returns {@link #FAILED}. */
    public int unwritten(IOException failure) {
        return failed("the JSON document could not be written: " + failure.getMessage());
    }
}
