// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * The Ethernet address behind a GID.
 *
 * @param mac the MAC address, such as {@code 02:00:0a:63:00:02}
 * @param vlan the VLAN's number, 12 bits, if the path uses a VLAN
 * @since 0.1.0
 */
public record EthernetAddress(String mac, OptionalInt vlan) {
    /** Checks that nothing is null. */
    public EthernetAddress {
        Objects.requireNonNull(mac, "MAC address");
        Objects.requireNonNull(vlan, "VLAN");
    }
}
