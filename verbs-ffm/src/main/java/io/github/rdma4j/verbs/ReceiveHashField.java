// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.Flags;
import java.util.Set;

/**
 * A field of a packet that can take part in receive hashing ({@code enum ibv_rx_hash_fields}).
 *
 * @since 0.1.0
 */
public enum ReceiveHashField {
    /** The IPv4 source address. */
    SOURCE_IPV4(0),
    /** The IPv4 destination address. */
    DESTINATION_IPV4(1),
    /** The IPv6 source address. */
    SOURCE_IPV6(2),
    /** The IPv6 destination address. */
    DESTINATION_IPV6(3),
    /** The TCP source port. */
    SOURCE_PORT_TCP(4),
    /** The TCP destination port. */
    DESTINATION_PORT_TCP(5),
    /** The UDP source port. */
    SOURCE_PORT_UDP(6),
    /** The UDP destination port. */
    DESTINATION_PORT_UDP(7),
    /** The security parameters index of IPsec. */
    IPSEC_SPI(8),
    /** Not a field: selects the fields of the packet inside a tunnel. */
    INNER(31);

    private final int bit;

    ReceiveHashField(int bit) {
        this.bit = bit;
    }

    private long mask() {
        return 1L << bit;
    }

    /**
     * Returns the fields of a mask.
     *
     * @param mask {@code rx_hash_fields_mask}
     * @return the fields that this library has names for
     */
    public static Set<ReceiveHashField> ofMask(long mask) {
        return Flags.of(ReceiveHashField.class, ReceiveHashField::mask, mask);
    }

    static long mask(Iterable<ReceiveHashField> fields) {
        return Flags.mask(fields, ReceiveHashField::mask);
    }
}
