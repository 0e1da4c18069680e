// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import java.util.List;
import java.util.OptionalDouble;

/**
 * A bond of network interfaces that the adapter shows as one port (RoCE LAG). The port's rate is the rate of one
 * interface. Without RoCE LAG, as between two cards, each interface of a bond has an RDMA device of its own.
 *
 * @param name the bond's interface, such as {@code bond0}
 * @param members the interfaces in it; without RoCE LAG only the port's own
 * @param gigabits the rate of all of them together, in Gbit/s; empty if unknown
 */
public record Bond(String name, List<String> members, OptionalDouble gigabits) {
    /** Copies the list. */
    public Bond {
        members = List.copyOf(members);
    }

    /** Returns whether the port uses several links. */
    public boolean isShared() {
        return members.size() > 1;
    }
}
