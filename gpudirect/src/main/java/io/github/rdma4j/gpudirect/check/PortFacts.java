// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import io.github.rdma4j.verbs.device.GidType;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.Mtu;
import io.github.rdma4j.verbs.device.PortState;
import java.util.Set;

/**
 * What an open adapter tells of a port.
 *
 * @param number from 1
 * @param state its logical state
 * @param linkLayer what it speaks
 * @param activeMtu the MTU in force
 * @param maxMtu the largest that it can have
 * @param gidTypes of the entries of its GID table that are in use
 */
public record PortFacts(
        int number, PortState state, LinkLayer linkLayer, Mtu activeMtu, Mtu maxMtu, Set<GidType> gidTypes) {
    /** Copies the set. */
    public PortFacts {
        gidTypes = Set.copyOf(gidTypes);
    }
}
