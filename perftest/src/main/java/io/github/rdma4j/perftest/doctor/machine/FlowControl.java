// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import java.util.Collections;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Priority flow control (PFC, IEEE 802.1Qbb) of a network interface.
 *
 * @param priorities a bit for each priority for which it is on
 * @param switchPriorities those of the switch, by DCBX; empty if it has not told, or nobody listens to it
 * @param sent how many pauses this interface has sent, of all priorities
 * @param received how many it was sent
 * @param ofDscp the priority of packets by their DSCP, as far as it was set
 */
public record FlowControl(
        int priorities, OptionalInt switchPriorities, long sent, long received, SortedMap<Integer, Integer> ofDscp) {
    /** Copies the map. */
    public FlowControl {
        ofDscp = Collections.unmodifiableSortedMap(new TreeMap<>(ofDscp));
    }

    /**
     * What the kernel has said of an interface.
     *
     * @param flowControl null if it has said nothing
     * @param failure why; empty if it has
     * @param pause what it has said of the pauses of all traffic
     */
    public record Answer(FlowControl flowControl, String failure, Optional<LinkPause> pause) {
        Answer with(Optional<LinkPause> found) {
            return new Answer(flowControl, failure, found);
        }
    }
}
