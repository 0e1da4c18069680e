// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * The connection was lost without a close: the peer's process ended or aborted, the network failed, or a work request
 * failed; a subclass reports a corrupt message. Messages and transfers under way may or may not have arrived. If the
 * peer has closed, calls throw {@link ClosedByPeerException} instead.
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
