// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.SendOpcode;

/**
 * An operation that a queue pair with extended posting is created for ({@code enum ibv_qp_create_send_ops_flags}); see
 * {@link QueuePairConfig#sendOperations}.
 *
 * @since 0.1.0
 */
public enum SendOperation {
    /** An RDMA write. */
    RDMA_WRITE(0, SendOpcode.RDMA_WRITE),
    /** An RDMA write that notifies the peer. */
    RDMA_WRITE_WITH_IMMEDIATE(1, SendOpcode.RDMA_WRITE_WITH_IMMEDIATE),
    /** A send. */
    SEND(2, SendOpcode.SEND),
    /** A send with a number that accompanies the message. */
    SEND_WITH_IMMEDIATE(3, SendOpcode.SEND_WITH_IMMEDIATE),
    /** An RDMA read. */
    RDMA_READ(4, SendOpcode.RDMA_READ),
    /** An atomic compare-and-swap. */
    COMPARE_AND_SWAP(5, SendOpcode.COMPARE_AND_SWAP),
    /** An atomic fetch-and-add. */
    FETCH_AND_ADD(6, SendOpcode.FETCH_AND_ADD),
    /** The invalidation of a key of this side. */
    LOCAL_INVALIDATE(7, SendOpcode.LOCAL_INVALIDATE),
    /** The binding of a memory window of type 2. */
    BIND_MEMORY_WINDOW(8, SendOpcode.BIND_MEMORY_WINDOW),
    /** A send that invalidates a key of the peer. */
    SEND_WITH_INVALIDATE(9, SendOpcode.SEND_WITH_INVALIDATE),
    /** A send that the adapter cuts into TCP segments (TSO). */
    SEGMENTED_SEND(10, SendOpcode.SEGMENTED_SEND),
    /** A flush of earlier writes; since rdma-core 45 and Linux 6.3. Only in extended posting. */
    FLUSH(11, SendOpcode.FLUSH),
    /** An atomic write of eight bytes; SoftRoCE supports it since Linux 6.3. Only in extended posting. */
    ATOMIC_WRITE(12, SendOpcode.ATOMIC_WRITE);

    private final int bit;
    private final int opcode;

    SendOperation(int bit, int opcode) {
        this.bit = 1 << bit;
        this.opcode = opcode;
    }

    /** Returns the bit of {@code send_ops_flags}. */
    int bit() {
        return bit;
    }

    /** Returns the value of {@code enum ibv_wr_opcode}. */
    int opcode() {
        return opcode;
    }
}
