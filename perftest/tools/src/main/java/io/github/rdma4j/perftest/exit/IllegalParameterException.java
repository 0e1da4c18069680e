// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

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
}
