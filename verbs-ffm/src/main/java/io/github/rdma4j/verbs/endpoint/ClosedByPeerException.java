// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * The peer has closed its endpoint. Receiving throws it after the peer's last message, sending at once. If the
 * connection was lost, calls throw {@link ConnectionLostException} instead.
 *
 * @since 0.1.0
 */
public final class ClosedByPeerException extends EndpointException {
    private static final long serialVersionUID = 1L;

    ClosedByPeerException(String operation) {
        super(
                operation,
                "closed by peer: it closed its endpoint after its last message",
                "close this endpoint; connect again to exchange more messages");
    }
}
