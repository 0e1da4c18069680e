// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

import java.util.List;
import java.util.function.Supplier;

/** Thrown when a parameter has an invalid value. The message names the option, the value and the allowed values. */
public final class IllegalParameterException extends IllegalArgumentException {
    /**
     * @param message the option, its value and the allowed values
     */
    public IllegalParameterException(String message) {
        super(message);
    }

    public static void when(boolean condition, String message) {
        when(condition, () -> message);
    }

    public static void when(boolean condition, Supplier<String> message) {
        if (condition) {
            throw new IllegalParameterException(message.get());
        }
    }

    /** Refuses what an unset variable of a script leaves: an empty argument, or nothing after an option's '='. */
    public static void whenOneIsEmpty(List<String> arguments) {
        for (String argument : arguments) {
            when(argument.isEmpty(), "an argument is empty: leave it out, or give the value that was meant");
            when(
                    argument.startsWith("--") && argument.indexOf('=') == argument.length() - 1,
                    argument + " has no value: leave it out, or give the value that was meant");
        }
    }
}
