// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Rights on registered memory, and on what a peer may do through a queue pair ({@code enum ibv_access_flags}). Local
 * reads are always allowed.
 *
 * @since 0.1.0
 */
public enum AccessFlag {
    /**
     * The adapter may write here for this process. Required for the target of a receive, a read or an atomic's result.
     */
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
    /** A peer may flush its writes so that every reader of the memory sees them; since rdma-core 45. */
    FLUSH_GLOBAL(1 << 8),
    /** A peer may flush its writes to persistent memory; since rdma-core 45. */
    FLUSH_PERSISTENT(1 << 9),
    /**
     * The adapter may reorder its writes to the memory, so polling on the data is unsafe. The flag is optional: kernels
     * and adapters that do not support it ignore it.
     */
    RELAXED_ORDERING(1 << 20);

    /**
     * A literal, not the constant of the bindings: programs that only use TCP name rights before anything native is
     * loaded. If native access is denied, loading the constant fails with an error that names no fix.
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

    /** Returns the flags of a mask, for messages. */
    static List<AccessFlag> of(int mask) {
        List<AccessFlag> flags = new ArrayList<>();
        for (AccessFlag flag : values()) {
            if (flag.in(mask)) {
                flags.add(flag);
            }
        }
        return flags;
    }

    /** Checks that remote writes come with LOCAL_WRITE, because the kernel reports only EINVAL. */
    static void requireLocalWriteBehindRemote(int mask) {
        for (AccessFlag remote : List.of(REMOTE_WRITE, REMOTE_ATOMIC)) {
            if (remote.in(mask) && !LOCAL_WRITE.in(mask)) {
                throw new IllegalArgumentException(remote + " also needs LOCAL_WRITE");
            }
        }
    }
}
