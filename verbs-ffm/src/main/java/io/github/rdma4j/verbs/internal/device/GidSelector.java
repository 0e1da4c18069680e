// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.device;

import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.GidType;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which entry of a port's GID table to use when the user does not say. On RoCE: version 2 before version 1, because
 * only it is routable; within a version an IPv4-mapped address before a global IPv6 one before a link-local one,
 * because peers on other subnets can reach them in that order; then the lowest index. On InfiniBand the first entry,
 * which is the port's own.
 */
public final class GidSelector {
    private GidSelector() {}

    /**
     * Chooses.
     *
     * @param table the entries of one port
     * @return the entry; empty if none can be used
     */
    public static Optional<GidEntry> choose(List<GidEntry> table) {
        return table.stream()
                .filter(entry -> !entry.gid().isZero()
                        && entry.type() != GidType.UNKNOWN
                        && entry.index() <= GidEntry.MAX_USABLE_INDEX)
                .min(Comparator.comparingInt(GidSelector::typeRank)
                        .thenComparingInt(GidSelector::addressRank)
                        .thenComparingInt(GidEntry::index));
    }

    private static int typeRank(GidEntry entry) {
        return entry.type() == GidType.ROCE_V1 ? 1 : 0;
    }

    private static int addressRank(GidEntry entry) {
        if (entry.type() == GidType.INFINIBAND) {
            return 0;
        }
        if (entry.gid().isIpv4Mapped()) {
            return 0;
        }
        return entry.gid().isLinkLocal() ? 2 : 1;
    }
}
