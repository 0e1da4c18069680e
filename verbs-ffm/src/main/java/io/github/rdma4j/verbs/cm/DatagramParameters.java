// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.bindings.rdma_ud_param;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The address of a datagram peer or a multicast group ({@code struct rdma_ud_param}).
 *
 * @param path the path, for an address handle
 * @param queuePairNumber the peer's queue pair; {@link #MULTICAST_QUEUE_PAIR} for a group
 * @param queueKey the key that the peer's queue pair expects in a datagram, {@code Q_Key}
 * @since 0.1.0
 */
public record DatagramParameters(AddressHandleAttributes path, int queuePairNumber, int queueKey) {
    /** The queue key of all datagram queue pairs of {@link PortSpace#UDP} ({@code RDMA_UDP_QKEY}). */
    public static final int UDP_QUEUE_KEY = 0x01234567;

    /** The queue pair number of a multicast group. */
    public static final int MULTICAST_QUEUE_PAIR = 0xffffff;

    /** Checks that there is a path. */
    public DatagramParameters {
        Objects.requireNonNull(path, "path");
    }

    /**
     * Creates an address handle for the path (ibv_create_ah(3)).
     *
     * @param domain the protection domain of the sending queue pair
     * @return the destination; close its address handle when no more requests to it are outstanding, or with the domain
     * @throws io.github.rdma4j.verbs.VerbsException if the device refuses
     */
    public Destination destination(ProtectionDomain domain) {
        return Destination.of(domain.createAddressHandle(path), queuePairNumber, queueKey);
    }

    static DatagramParameters read(MemorySegment parameters) {
        return new DatagramParameters(
                AddressHandleAttributes.ofNative(
                        rdma_ud_param.ah_attr(parameters).address()),
                rdma_ud_param.qp_num(parameters),
                rdma_ud_param.qkey(parameters));
    }
}
