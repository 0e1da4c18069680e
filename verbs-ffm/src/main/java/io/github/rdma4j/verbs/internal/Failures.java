// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;

/** Converts the errno of a verb to an exception. */
public final class Failures {
    private Failures() {}

    /**
     * Creates the exception for a failure with only an errno and its general remedy.
     *
     * @param operation the verb with its arguments
     * @param errno a positive errno value
     * @return the exception to throw
     */
    public static VerbsException of(String operation, int errno) {
        return of(operation, errno, "", "");
    }

    /**
     * Creates the exception for a failure.
     *
     * @param operation the verb with its arguments
     * @param errno a positive errno value
     * @param explanation the cause, or an empty string
     * @param remedy what to do, or an empty string for the general remedy of the errno
     * @return the exception to throw
     */
    public static VerbsException of(String operation, int errno, String explanation, String remedy) {
        if (errno == Errno.EOPNOTSUPP || errno == Errno.ENOSYS || errno == Errno.ENOTSUPP) {
            return new UnsupportedVerbException(
                    operation,
                    errno,
                    explanation.isEmpty() ? "the device or its driver does not support this" : explanation,
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
