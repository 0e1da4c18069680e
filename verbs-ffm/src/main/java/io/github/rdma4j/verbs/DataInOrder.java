// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * In which order the bytes of a message arrive in memory (ibv_query_qp_data_in_order(3)). It allows to wait for the
 * last byte of a message instead of its completion; between messages it says nothing, nor of memory with
 * {@link AccessFlag#RELAXED_ORDERING}.
 *
 * @since 0.1.0
 */
public enum DataInOrder {
    /** None: in any order, for all that is known. */
    NONE,
    /** Within each block of 128 bytes, aligned to 128, in order; the blocks in any. */
    ALIGNED_128_BYTES,
    /** All in order. */
    WHOLE_MESSAGE
}
