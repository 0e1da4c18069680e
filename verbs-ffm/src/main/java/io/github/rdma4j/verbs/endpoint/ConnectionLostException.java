// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * The connection broke without a good-bye: the peer's process ended or aborted, the network failed, or a work request
 * did; or, as a subclass says, a message was corrupt. What was under way may or may not have arrived. The opposite of
 * {@link ClosedByPeerException}.
 *
 * @serial exclude
 * @since 0.1.0
 */
public sealed class ConnectionLostException extends EndpointException permits CorruptMessageException {
    private static final long serialVersionUID = 1L;

    private final String reason;

    ConnectionLostException(String operation, String reason, Throwable cause) {
        this(operation, reason, cause, "connect again");
    }

    ConnectionLostException(String operation, String reason, Throwable cause, String remedy) {
        super(operation, "the connection is lost: " + reason, remedy);
        this.reason = reason;
        if (cause != null) {
            initCause(cause);
        }
    }

    /**
     * {@return what ended the connection: a failed work request with its usual cause, or an event of the connection
     * manager}
     */
    public String reason() {
        return reason;
    }
}
