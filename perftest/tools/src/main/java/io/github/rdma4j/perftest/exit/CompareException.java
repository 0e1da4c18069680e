// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

/** The comparison could not be made: a tool is missing, a run failed or took too long. */
public final class CompareException extends PerftestException {
    /**
     * @param message the failure, in one sentence
     * @param remedy what the user can do about it, or an empty string
     */
    public CompareException(String message, String remedy) {
        super(message, remedy);
    }

    /**
     * @param message the failure, in one sentence
     * @param remedy what the user can do about it, or an empty string
     * @param cause the exception below it
     */
    public CompareException(String message, String remedy, Throwable cause) {
        super(message, remedy, cause);
    }
}
