// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.Objects;

/**
 * The destination of a datagram: the address of the peer's port, and the queue pair there. Immutable. Create it once
 * for each peer; any thread may use it in any number of requests.
 *
 * @since 0.1.0
 */
public final class Destination {
    private final AddressHandle addressHandle;
    private final int queuePairNumber;
    private final int queueKey;

    private Destination(AddressHandle addressHandle, int queuePairNumber, int queueKey) {
        this.addressHandle = Objects.requireNonNull(addressHandle, "address handle");
        if (queuePairNumber < 0 || queuePairNumber >>> 24 != 0) {
            throw new IllegalArgumentException(
                    "queue pair number 0x%x has more than 24 bits".formatted(queuePairNumber));
        }
        this.queuePairNumber = queuePairNumber;
        this.queueKey = queueKey;
    }

    /**
     * Creates a destination.
     *
     * @param addressHandle the address of the peer's port
     * @param queuePairNumber the peer's queue pair, 24 bits; 0xffffff for a multicast group
     * @param queueKey the key that the peer's queue pair expects ({@code qkey})
     * @return the destination
     */
    public static Destination of(AddressHandle addressHandle, int queuePairNumber, int queueKey) {
        return new Destination(addressHandle, queuePairNumber, queueKey);
    }

    /** {@return the address of the peer's port} */
    public AddressHandle addressHandle() {
        return addressHandle;
    }

    /** {@return the peer's queue pair, 24 bits} */
    public int queuePairNumber() {
        return queuePairNumber;
    }

    /** {@return the key that the peer's queue pair expects} */
    public int queueKey() {
        return queueKey;
    }

    /** {@return queue pair number and address handle} */
    @Override
    public String toString() {
        return "queue pair 0x%06x by %s".formatted(queuePairNumber, addressHandle);
    }
}
