// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

/**
 * Thrown when a test cannot be started or finished and the user can act on the reason: the peer does not answer, the
 * device has no active port, a request completed with an error. The message is the cause; {@link #remedy()} says what
 * to try.
 */
public class PerftestException extends RuntimeException {
    private final String remedy;

    /**
     * @param message the failure, in one sentence
     * @param remedy what the user can do about it, or an empty string
     */
    public PerftestException(String message, String remedy) {
        this(message, remedy, null);
    }

    /**
     * @param message the failure, in one sentence
     * @param remedy what the user can do about it, or an empty string
     * @param cause the exception below it, or null
     */
    public PerftestException(String message, String remedy, Throwable cause) {
        super(message, cause);
        this.remedy = remedy;
    }

    /** Returns whether the peer has gone or does not answer, so that the cause is on its side. */
    public boolean peerLost() {
        return false;
    }

    /** Returns what the user can do about it; empty if there is no advice. */
    public final String remedy() {
        return remedy;
    }
}
