// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.bindings.rdma_ud_param;
import java.lang.foreign.MemorySegment;

/**
 * How to reach a datagram peer or a multicast group ({@code struct rdma_ud_param}).
 *
 * @param queuePairNumber the peer's queue pair; 0xffffff for a multicast group; 0 in a request
 * @param queueKey what the peer's queue pair expects in a datagram, {@code Q_Key}; 0 in a request
 */
public record DatagramParameters(int queuePairNumber, int queueKey) {
    /** The queue key of all datagram queue pairs of {@link PortSpace#UDP} ({@code RDMA_UDP_QKEY}). */
    public static final int UDP_QUEUE_KEY = 0x01234567;

    /** The queue pair number that stands for a multicast group. */
    public static final int MULTICAST_QUEUE_PAIR = 0xffffff;

    static DatagramParameters read(MemorySegment parameters) {
        return new DatagramParameters(rdma_ud_param.qp_num(parameters), rdma_ud_param.qkey(parameters));
    }
}
