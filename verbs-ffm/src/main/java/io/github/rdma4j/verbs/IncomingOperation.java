// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.SendOpcode;

/**
 * An operation that brings data into this side's memory, for {@link QueuePair#dataInOrder}.
 *
 * @since 0.1.0
 */
public enum IncomingOperation {
    /** The peer's writes into this side's memory. */
    RDMA_WRITE(SendOpcode.RDMA_WRITE),
    /** The peer's sends into this side's receives. */
    SEND(SendOpcode.SEND),
    /** This side's reads of the peer's memory. */
    RDMA_READ(SendOpcode.RDMA_READ);

    private final int opcode;

    IncomingOperation(int opcode) {
        this.opcode = opcode;
    }

    /** Returns the value of {@code enum ibv_wr_opcode}. */
    int opcode() {
        return opcode;
    }
}
