// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_qp_cap;
import java.lang.foreign.MemorySegment;

/**
 * The sizes of a queue pair ({@code struct ibv_qp_cap}).
 *
 * @param maxSendWorkRequests the depth of the send queue
 * @param maxReceiveWorkRequests the depth of the receive queue; 0 with a shared receive queue
 * @param maxSendScatterGather the maximum number of memory slices that one send gathers
 * @param maxReceiveScatterGather the maximum number of memory slices that one receive scatters to
 * @param maxInlineData the maximum number of bytes that a request carries inline
 * @since 0.1.0
 */
public record QueuePairCapabilities(
        int maxSendWorkRequests,
        int maxReceiveWorkRequests,
        int maxSendScatterGather,
        int maxReceiveScatterGather,
        int maxInlineData) {

    static QueuePairCapabilities read(MemorySegment capabilities) {
        return new QueuePairCapabilities(
                ibv_qp_cap.max_send_wr(capabilities),
                ibv_qp_cap.max_recv_wr(capabilities),
                ibv_qp_cap.max_send_sge(capabilities),
                ibv_qp_cap.max_recv_sge(capabilities),
                ibv_qp_cap.max_inline_data(capabilities));
    }

    void write(MemorySegment capabilities) {
        ibv_qp_cap.max_send_wr(capabilities, maxSendWorkRequests);
        ibv_qp_cap.max_recv_wr(capabilities, maxReceiveWorkRequests);
        ibv_qp_cap.max_send_sge(capabilities, maxSendScatterGather);
        ibv_qp_cap.max_recv_sge(capabilities, maxReceiveScatterGather);
        ibv_qp_cap.max_inline_data(capabilities, maxInlineData);
    }
}
