// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

import java.util.function.Supplier;

/** A parameter has a value that it cannot have. The message names the option, the value and what is allowed. */
public final class IllegalParameterException extends IllegalArgumentException {
    /**
     * @param message the option, its value and what is allowed
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
