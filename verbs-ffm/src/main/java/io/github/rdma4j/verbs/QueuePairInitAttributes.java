// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_qp_init_attr;
import java.lang.foreign.MemorySegment;

/**
 * The settings that a queue pair was created with ({@code struct ibv_qp_init_attr}, ibv_query_qp(3)).
 *
 * @param type the type of service
 * @param capabilities the sizes of the queues, which are at least the requested sizes
 * @param signalAll whether every request makes a completion
 * @param sharedReceiveQueue whether receives come from a shared receive queue
 * @since 0.1.0
 */
public record QueuePairInitAttributes(
        QueuePairType type, QueuePairCapabilities capabilities, boolean signalAll, boolean sharedReceiveQueue) {

    static QueuePairInitAttributes read(MemorySegment attributes) {
        return new QueuePairInitAttributes(
                QueuePairType.ofCode(ibv_qp_init_attr.qp_type(attributes)),
                QueuePairCapabilities.read(ibv_qp_init_attr.cap(attributes)),
                ibv_qp_init_attr.sq_sig_all(attributes) != 0,
                ibv_qp_init_attr.srq(attributes).address() != 0);
    }
}
