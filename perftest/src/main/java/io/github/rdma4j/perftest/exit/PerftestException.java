// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

/**
 * A test could not be started or finished, for a reason that the user can be told: a peer that does not answer, a
 * device without an active port, a completion with an error. The message is the cause; {@link #remedy()} says what to
 * try.
 */
public class PerftestException extends RuntimeException {
    private final String remedy;

    /**
     * @param message what went wrong, in one sentence
     * @param remedy what the user can do about it, or an empty string
     */
    public PerftestException(String message, String remedy) {
        this(message, remedy, null);
    }

    /**
     * @param message what went wrong, in one sentence
     * @param remedy what the user can do about it, or an empty string
     * @param cause the exception below it, or null
     */
    public PerftestException(String message, String remedy, Throwable cause) {
        super(message, cause);
        this.remedy = remedy;
    }

    /** Whether the other side has gone or fallen silent, so that the cause is to be looked for there. */
    public boolean peerLost() {
        return false;
    }

    /** What the user can do about it; empty when nothing is known. */
    public final String remedy() {
        return remedy;
    }
}
