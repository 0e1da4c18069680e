// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/** Parses command lines whose numbers have a {@link Range}, and refuses a number outside it in one sentence. */
public final class Ranges {
    private static final String NO_NUMBER = "' is not a whole number; allowed is ";

    private Ranges() {}

    /**
     * Parses a command line.
     *
     * @throws IllegalParameterException when a number is invalid or out of its range
     * @throws ParameterException for any other error
     */
    public static ParseResult parse(CommandLine line, List<String> arguments) {
        line.registerConverter(int.class, new Numbers.Int());
        line.registerConverter(Integer.class, new Numbers.Int());
        // Picocli fails on it.
        IllegalParameterException.whenOneIsEmpty(arguments);
        ParseResult result;
        try {
            result = line.parseArgs(arguments.toArray(String[]::new));
        } catch (ParameterException failure) {
            if (failure.getArgSpec() instanceof OptionSpec option && failure.getValue() != null) {
                IllegalParameterException.when(
                        option.type() == Double.class, name(option) + ": '" + failure.getValue() + "' is not a number");
                Range range = Range.of(option);
                if (range != null) {
                    throw new IllegalParameterException(
                            name(option) + ": '" + failure.getValue() + NO_NUMBER + range.words());
                }
            }
            throw failure;
        }
        result.matchedOptions().forEach(Ranges::check);
        return result;
    }

    private static void check(OptionSpec option) {
        Range range = Range.of(option);
        if (range == null || !(option.getValue() instanceof Number number)) {
            return;
        }
        IllegalParameterException.when(
                !range.contains(number.longValue()),
                () -> name(option) + ": " + option.originalStringValues().getLast() + " is out of range; allowed is "
                        + range.words());
    }

    /**
     * Parses a message size, in bytes or with K or M.
     *
     * @param option named in the message of the exception
     * @throws IllegalParameterException when it is invalid
     */
    public static long messageSize(String option, String text) {
        String allowed = WorkloadOptions.LEAST_SIZE + " to " + WorkloadOptions.LARGEST_SIZE;
        long value;
        try {
            value = new Numbers.Bytes().convert(text);
        } catch (TypeConversionException _) {
            throw new IllegalParameterException(option + ": '" + text + NO_NUMBER + allowed);
        }
        IllegalParameterException.when(
                value < WorkloadOptions.LEAST_SIZE || value > WorkloadOptions.LARGEST_SIZE,
                () -> option + ": " + text + " is out of range; allowed is " + allowed);
        return value;
    }

    /** All names of an option, short and long. */
    static String name(OptionSpec option) {
        return String.join("/", option.names());
    }
}
