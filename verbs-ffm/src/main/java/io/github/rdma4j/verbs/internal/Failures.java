// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;

/** Turns the errno of a verb into the exception that a caller can act upon. */
public final class Failures {
    private Failures() {}

    /**
     * A failure without more to say than its errno, and what generally helps against that.
     *
     * @param operation the verb with its arguments
     * @param errno a positive errno value
     * @return the exception to throw
     */
    public static VerbsException of(String operation, int errno) {
        return of(operation, errno, "", "");
    }

    /**
     * A failure.
     *
     * @param operation the verb with its arguments
     * @param errno a positive errno value
     * @param explanation what is known of the cause, or an empty string
     * @param remedy what can be done, or an empty string for what generally helps against the errno
     * @return the exception to throw
     */
    public static VerbsException of(String operation, int errno, String explanation, String remedy) {
        if (errno == Errno.EOPNOTSUPP || errno == Errno.ENOSYS || errno == Errno.ENOTSUPP) {
            return new UnsupportedVerbException(
                    operation,
                    errno,
                    explanation.isEmpty() ? "the device or its driver does not offer this" : explanation,
                    remedy);
        }
        return new VerbsException(operation, errno, explanation, remedy);
    }

    /**
     * Throws if a verb that returns its errno returned one.
     *
     * @param operation the verb with its arguments
     * @param result 0, a positive errno, or a negative one from some older drivers
     */
    public static void check(String operation, int result) {
        if (result != 0) {
            throw of(operation, Math.abs(result));
        }
    }
}
