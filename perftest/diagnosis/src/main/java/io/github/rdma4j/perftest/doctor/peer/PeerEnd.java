// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.pair.PeerMachine;
import io.github.rdma4j.perftest.doctor.pair.PeerPort;
import java.util.Map;
import java.util.function.Function;

/**
 * One end's part of the conversation.
 *
 * @param machine the description that it sends to the other end
 * @param counters reads the counters of one of its ports, by name
 * @param chosen whether the user has chosen the device, rather than the routing table
 */
public record PeerEnd(PeerMachine machine, Function<PeerPort, Map<String, Long>> counters, boolean chosen) {
    /** With the counters that a machine's files have. */
    public static PeerEnd of(PeerMachine description, Machine machine, boolean chosen) {
        return new PeerEnd(description, port -> PortCounters.read(machine.files(), port), chosen);
    }
}
