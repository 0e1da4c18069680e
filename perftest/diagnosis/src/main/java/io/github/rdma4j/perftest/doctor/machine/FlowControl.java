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
 * @param switchPriorities the switch's bits, from DCBX; empty if the switch has sent none or no agent receives them
 * @param sent the number of pauses that this interface has sent, of all priorities
 * @param received the number of pauses that it has received
 * @param ofDscp the priority of packets by their DSCP, as far as it was set
 */
public record FlowControl(
        int priorities, OptionalInt switchPriorities, long sent, long received, SortedMap<Integer, Integer> ofDscp) {
    /** Copies the map. */
    public FlowControl {
        ofDscp = Collections.unmodifiableSortedMap(new TreeMap<>(ofDscp));
    }

    /**
     * The kernel's answer about an interface.
     *
     * @param flowControl null if the kernel has not reported it
     * @param failure why; empty if it has
     * @param pause the pauses of all traffic
     */
    public record Answer(FlowControl flowControl, String failure, Optional<LinkPause> pause) {
        Answer with(Optional<LinkPause> found) {
            return new Answer(flowControl, failure, found);
        }
    }
}
