// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.Arrays;

/**
 * The type of a completed request ({@code enum ibv_wc_opcode}).
 *
 * @since 0.1.0
 */
public enum WorkCompletionOpcode {
    /** A send. */
    SEND(0),
    /** An RDMA write. */
    RDMA_WRITE(1),
    /** An RDMA read. */
    RDMA_READ(2),
    /** A compare-and-swap ({@code IBV_WC_COMP_SWAP}). */
    COMPARE_AND_SWAP(3),
    /** A fetch-and-add ({@code IBV_WC_FETCH_ADD}). */
    FETCH_AND_ADD(4),
    /** A memory window was bound ({@code IBV_WC_BIND_MW}). */
    BIND_MEMORY_WINDOW(5),
    /** A key was invalidated ({@code IBV_WC_LOCAL_INV}). */
    LOCAL_INVALIDATE(6),
    /** A segmented send. */
    TSO(7),
    /** A flush. */
    FLUSH(8),
    /** An atomic write. */
    ATOMIC_WRITE(9),
    /** A receive ({@code IBV_WC_RECV}). */
    RECEIVE(128),
    /** A receive that a peer's write with immediate consumed ({@code IBV_WC_RECV_RDMA_WITH_IMM}). */
    RECEIVE_RDMA_WITH_IMMEDIATE(129),
    /** An entry was added to a {@link TagList}. */
    TAG_ADD(130),
    /** An entry was removed from a {@link TagList}. */
    TAG_REMOVE(131),
    /** A {@link TagList} was synchronised. */
    TAG_SYNCHRONISE(132),
    /** A message with a tag has arrived, or is complete; for a shared receive queue with tag matching. */
    TAG_RECEIVE(133),
    /** A message without a tag has arrived; for a shared receive queue with tag matching. */
    TAG_RECEIVE_WITHOUT_TAG(134),
    /** A type that this library has no name for. */
    UNKNOWN(-1);

    /** A completion loop reads this for each completion, so it must not search. */
    private static final WorkCompletionOpcode[] BY_CODE = byCode();

    private final int code;

    WorkCompletionOpcode(int code) {
        this.code = code;
    }

    private static WorkCompletionOpcode[] byCode() {
        WorkCompletionOpcode[] all = new WorkCompletionOpcode[TAG_RECEIVE_WITHOUT_TAG.code + 1];
        Arrays.fill(all, UNKNOWN);
        for (WorkCompletionOpcode opcode : values()) {
            if (opcode != UNKNOWN) {
                all[opcode.code] = opcode;
            }
        }
        return all;
    }

    static WorkCompletionOpcode ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : UNKNOWN;
    }
}
