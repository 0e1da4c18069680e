// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import io.github.rdma4j.verbs.device.GidType;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.Mtu;
import io.github.rdma4j.verbs.device.PortState;
import java.util.Set;

/**
 * A port as its open adapter reports it.
 *
 * @param number from 1
 * @param state its logical state
 * @param linkLayer its link layer
 * @param activeMtu the active MTU
 * @param maxMtu the largest MTU that it supports
 * @param gidTypes the types of the entries of its GID table that are in use
 */
public record PortFacts(
        int number, PortState state, LinkLayer linkLayer, Mtu activeMtu, Mtu maxMtu, Set<GidType> gidTypes) {
    /** Copies the set. */
    public PortFacts {
        gidTypes = Set.copyOf(gidTypes);
    }
}
