// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One entry of a port's GID table ({@code struct ibv_gid_entry}).
 *
 * @param gid the GID
 * @param index its index, which tools call {@code -x} or {@code sgid_index}
 * @param port the port, from 1
 * @param type how its packets travel
 * @param networkInterfaceIndex the network interface ({@code ifindex}) behind it, 0 if there is none
 * @since 0.1.0
 */
public record GidEntry(Gid gid, int index, int port, GidType type, int networkInterfaceIndex) {
    /** The largest index that a queue pair can use, which has eight bits; tables can be longer. */
    public static final int MAX_USABLE_INDEX = 255;

    /**
     * Selects the entry of a port's table to use if the user names none. On RoCE, version 2 comes before version 1,
     * because only version 2 is routable; within a version, an IPv4-mapped address comes before an IPv6 address, as in
     * the C tools; within a family, a link-local address comes last, because peers on other subnets cannot reach it;
     * then the lowest index. On InfiniBand it is the first entry, which is the port's own GID.
     *
     * @param table the entries of one port, in any order
     * @return the entry; empty if none can be used
     */
    public static Optional<GidEntry> preferred(List<GidEntry> table) {
        return table.stream()
                .map(entry -> Objects.requireNonNull(entry, "entry"))
                .filter(entry ->
                        !entry.gid.isZero() && entry.type != GidType.UNKNOWN && entry.index <= MAX_USABLE_INDEX)
                .min(Comparator.comparingInt(GidEntry::typeRank)
                        .thenComparingInt(GidEntry::addressRank)
                        .thenComparingInt(GidEntry::index));
    }

    private int typeRank() {
        return type == GidType.ROCE_V1 ? 1 : 0;
    }

    private int addressRank() {
        if (type == GidType.INFINIBAND) {
            return 0;
        }
        return (gid.isIpv4Mapped() ? 0 : 2) + (gid.isLinkLocal() ? 1 : 0);
    }
}
