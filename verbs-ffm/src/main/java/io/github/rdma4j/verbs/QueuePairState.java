// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * The state of a queue pair ({@code enum ibv_qp_state}).
 *
 * @since 0.1.0
 */
public enum QueuePairState {
    /** Just created. */
    RESET,
    /** Receives can be posted. */
    INIT,
    /** Ready to receive: the peer is known, incoming requests are served. */
    RTR,
    /** Ready to send: everything works. */
    RTS,
    /** The send queue is being drained. */
    SQD,
    /** The send queue failed. */
    SQE,
    /** Failed: outstanding requests complete with {@link WorkCompletionStatus#WR_FLUSH_ERR}. */
    ERR,
    /** A state that this library has no name for. */
    UNKNOWN;

    static QueuePairState ofCode(int code) {
        return code >= 0 && code < UNKNOWN.ordinal() ? values()[code] : UNKNOWN;
    }
}
