// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.endpoint.protocol.EndExceptions;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Loss;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Refusal;

/** The exceptions that programs get when a connection has ended, or when a server has refused it. */
final class EndpointExceptions implements EndExceptions {
    static final EndpointExceptions OF_ENDS = new EndpointExceptions();

    private EndpointExceptions() {}

    @Override
    public EndpointException closedByPeer(String operation) {
        return new ClosedByPeerException(operation);
    }

    @Override
    public ConnectionLostException lost(String operation, Loss loss) {
        return loss.corruption() == null
                ? new ConnectionLostException(operation, loss.reason(), loss.cause())
                : new CorruptMessageException(operation, loss.reason(), loss.corruption());
    }

    static EndpointException refused(String operation, Refusal refusal) {
        return refusal == Refusal.NOT_ADMITTED
                ? new NotAdmittedException(operation, refusal.explanation(), refusal.remedy())
                : new IncompatiblePeerException(operation, refusal.explanation(), refusal.remedy());
    }
}
