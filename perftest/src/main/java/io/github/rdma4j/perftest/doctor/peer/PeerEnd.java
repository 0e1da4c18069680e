// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.pair.PeerMachine;
import io.github.rdma4j.perftest.doctor.pair.PeerPort;
import java.util.Map;
import java.util.function.Function;

/**
 * What an end brings to the conversation.
 *
 * @param machine what it tells the other end of itself
 * @param counters reads the counters of one of its ports, by name
 * @param chosen whether the user has chosen the device, and not the routing table
 */
public record PeerEnd(PeerMachine machine, Function<PeerPort, Map<String, Long>> counters, boolean chosen) {
    /** With the counters that a machine's files have. */
    public static PeerEnd of(PeerMachine told, Machine machine, boolean chosen) {
        return new PeerEnd(told, port -> PortCounters.read(machine.files(), port), chosen);
    }
}
