// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * The peer has closed its endpoint in good order: everything that it had sent has been received, and nothing that is
 * sent now would be read. The opposite of {@link ConnectionLostException}.
 *
 * @since 0.1.0
 */
public final class ClosedByPeerException extends EndpointException {
    private static final long serialVersionUID = 1L;

    ClosedByPeerException(String operation) {
        super(
                operation,
                "closed by peer: it closed its endpoint after its last message",
                "close this endpoint, too; connect again if there is more to say");
    }
}
