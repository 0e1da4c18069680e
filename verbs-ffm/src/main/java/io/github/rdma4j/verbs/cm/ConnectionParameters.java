// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.bindings.rdma_conn_param;
import java.lang.foreign.MemorySegment;

/**
 * The connection parameters that the peer requests ({@code struct rdma_conn_param} of an event).
 *
 * @param responderResources how many of the peer's reads and atomics this side should serve at a time
 * @param initiatorDepth how many reads and atomics this side may have outstanding at the peer
 * @param flowControl whether the peer has end-to-end flow control
 * @param retryCount how often this side should retransmit without an acknowledgement
 * @param rnrRetryCount how often this side should retry if the receiver is not ready
 * @param sharedReceiveQueue whether the peer's queue pair uses a shared receive queue
 * @param queuePairNumber the peer's queue pair
 * @since 0.1.0
 */
public record ConnectionParameters(
        int responderResources,
        int initiatorDepth,
        boolean flowControl,
        int retryCount,
        int rnrRetryCount,
        boolean sharedReceiveQueue,
        int queuePairNumber) {

    static ConnectionParameters read(MemorySegment parameters) {
        return new ConnectionParameters(
                Byte.toUnsignedInt(rdma_conn_param.responder_resources(parameters)),
                Byte.toUnsignedInt(rdma_conn_param.initiator_depth(parameters)),
                rdma_conn_param.flow_control(parameters) != 0,
                Byte.toUnsignedInt(rdma_conn_param.retry_count(parameters)),
                Byte.toUnsignedInt(rdma_conn_param.rnr_retry_count(parameters)),
                rdma_conn_param.srq(parameters) != 0,
                rdma_conn_param.qp_num(parameters));
    }
}
