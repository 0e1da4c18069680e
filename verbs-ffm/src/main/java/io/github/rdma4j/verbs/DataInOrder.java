// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * The order in which the bytes of a message arrive in memory (ibv_query_qp_data_in_order(3)). If it is guaranteed, a
 * program can wait for the last byte of a message instead of its completion. It does not cover the order between
 * messages, nor memory with {@link AccessFlag#RELAXED_ORDERING}.
 *
 * @since 0.1.0
 */
public enum DataInOrder {
    /** No order is guaranteed or known. */
    NONE,
    /** In order within each aligned block of 128 bytes; the blocks can arrive in any order. */
    ALIGNED_128_BYTES,
    /** The whole message arrives in order. */
    WHOLE_MESSAGE
}
