// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * A wait ended because its thread was interrupted (errno EINTR). The thread's interrupt status remains set, so the next
 * wait also ends at once until the status is cleared. Nothing is lost: a later call returns what this wait would have
 * returned.
 *
 * @since 0.1.0
 */
public class WaitInterruptedException extends VerbsException {
    private static final long serialVersionUID = 1L;
    private static final int EINTR = 4;
    private static final String REMEDY =
            "let the thread end, or clear its interrupt status (Thread.interrupted()) and wait again";

    /**
     * Creates an exception for an interrupted wait.
     *
     * @param operation what the thread was waiting for
     */
    public WaitInterruptedException(String operation) {
        super(operation, EINTR, "the thread was interrupted while it waited", REMEDY);
    }
}
