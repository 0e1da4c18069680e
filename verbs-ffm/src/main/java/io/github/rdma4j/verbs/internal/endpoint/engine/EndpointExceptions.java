// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.EfaCompletionStatus;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.endpoint.ConnectionLostException;
import io.github.rdma4j.verbs.endpoint.EndpointException;
import io.github.rdma4j.verbs.internal.endpoint.protocol.EndExceptions;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Loss;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Refusal;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import io.github.rdma4j.verbs.internal.events.FailedTransferEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;

/** The exceptions that programs get when a connection has ended, or when a server has refused it. */
public final class EndpointExceptions implements EndExceptions {
    public static final EndpointExceptions OF_ENDS = new EndpointExceptions();

    private EndpointExceptions() {}

    @Override
    public EndpointException closedByPeer(String operation) {
        return ACCESS.closedByPeer(operation);
    }

    @Override
    public ConnectionLostException lost(String operation, Loss loss) {
        return ACCESS.lost(operation, loss);
    }

    /**
     * Records a failed request and returns its cause; returns null if it failed only because the connection had ended.
     *
     * @param endpoint for the event
     */
    public static VerbsException causeOfTransfer(
            String endpoint, WireEvents protocol, WorkCompletionStatus status, int vendorError, String description) {
        if (status == WorkCompletionStatus.WR_FLUSH_ERR || protocol.state() == Protocol.State.PEER_CLOSED) {
            return null;
        }
        if (Recorder.isThere()) {
            FailedTransferEvent.failed(endpoint, status, description);
        }
        return ACCESS.transferException("a transfer of " + protocol, status, vendorError, description);
    }

    /**
     * {@return a failed completion of an Elastic Fabric Adapter in words: its vendor error is more precise than its
     * status}
     */
    public static String describeSrd(WorkCompletion completion) {
        EfaCompletionStatus status = EfaCompletionStatus.ofVendorError(completion.vendorError());
        return status == EfaCompletionStatus.OK || status == EfaCompletionStatus.UNKNOWN
                ? completion.describe()
                : completion.status() + ": " + status.describe();
    }

    public static EndpointException refused(String operation, Refusal refusal) {
        return refusal == Refusal.NOT_ADMITTED
                ? ACCESS.notAdmitted(operation, refusal.explanation(), refusal.remedy())
                : ACCESS.incompatiblePeer(operation, refusal.explanation(), refusal.remedy());
    }
}
