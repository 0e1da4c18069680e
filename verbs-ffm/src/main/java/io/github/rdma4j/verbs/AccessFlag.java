// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What may be done with registered memory, and what a peer may do through a queue pair ({@code enum ibv_access_flags}).
 * Local read access is always there.
 *
 * @since 0.1.0
 */
public enum AccessFlag {
    /** The adapter may write here for this process: the target of a receive, a read or an atomic's result. */
    LOCAL_WRITE(1 << 0),
    /** A peer may write here; needs {@link #LOCAL_WRITE}. */
    REMOTE_WRITE(1 << 1),
    /** A peer may read from here. */
    REMOTE_READ(1 << 2),
    /** A peer may run atomic operations here; needs {@link #LOCAL_WRITE}. */
    REMOTE_ATOMIC(1 << 3),
    /** A {@link MemoryWindow} can be bound to the region. */
    MW_BIND(1 << 4),
    /**
     * Addresses in work requests are offsets from the start of the region (or window) and not addresses of the process.
     * Queue pairs that receive or read into it need
     * {@link QueuePairConfig#scatterToCompletion scatterToCompletion(false)}.
     */
    ZERO_BASED(1 << 5),
    /** On-demand paging: pages are not pinned, the adapter faults them in when it needs them. */
    ON_DEMAND(1 << 6),
    /** All pages of the region are huge and will remain so; with {@link #ON_DEMAND} only. */
    HUGETLB(1 << 7),
    /** A peer may flush what it wrote here so that all can see it; from rdma-core 45 on. */
    FLUSH_GLOBAL(1 << 8),
    /** A peer may flush what it wrote here to persistent memory; from rdma-core 45 on. */
    FLUSH_PERSISTENT(1 << 9),
    /**
     * The adapter may reorder its writes to the memory. An optional flag: ignored by kernels and adapters that do not
     * know it. Polling on data is then unsafe.
     */
    RELAXED_ORDERING(1 << 20);

    /**
     * A literal, and not the bindings' constant: programs over TCP alone name rights before anything native is loaded,
     * and what denies native access would show as an error of class loading without a remedy.
     */
    private final int bit;

    AccessFlag(int bit) {
        this.bit = bit;
    }

    static int mask(AccessFlag... flags) {
        int mask = 0;
        for (AccessFlag flag : flags) {
            mask |= Objects.requireNonNull(flag, "access flag").bit;
        }
        return mask;
    }

    boolean in(int mask) {
        return (mask & bit) != 0;
    }

    /** For messages: the flags of a mask. */
    static List<AccessFlag> of(int mask) {
        List<AccessFlag> flags = new ArrayList<>();
        for (AccessFlag flag : values()) {
            if (flag.in(mask)) {
                flags.add(flag);
            }
        }
        return flags;
    }

    /** Writing by a peer is writing by the adapter: the kernel says only EINVAL. */
    static void requireLocalWriteBehindRemote(int mask) {
        for (AccessFlag remote : List.of(REMOTE_WRITE, REMOTE_ATOMIC)) {
            if (remote.in(mask) && !LOCAL_WRITE.in(mask)) {
                throw new IllegalArgumentException(remote + " needs LOCAL_WRITE too");
            }
        }
    }
}
