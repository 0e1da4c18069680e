// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import io.github.rdma4j.perftest.exit.PerftestException;

/**
 * Thrown when the other end sends something that is not a message of the protocol, or an invalid message.
 */
public final class BadMessageException extends PerftestException {
    /** The message describes the error. */
    public BadMessageException(String message) {
        super(
                message,
                "check that the address and the port name the other end, and that it runs the same command in"
                        + " the same version");
    }
}
