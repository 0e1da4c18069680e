// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * What may be done with registered memory, and what a peer may do through a queue pair ({@code enum ibv_access_flags}).
 * Local read access is always there.
 */
public enum AccessFlag {
    /** The adapter may write here for this process: the target of a receive, a read or an atomic's result. */
    LOCAL_WRITE(1),
    /** A peer may write here; needs {@link #LOCAL_WRITE}. */
    REMOTE_WRITE(1 << 1),
    /** A peer may read from here. */
    REMOTE_READ(1 << 2),
    /** A peer may run atomic operations here; needs {@link #LOCAL_WRITE}. */
    REMOTE_ATOMIC(1 << 3),
    /** The adapter may reorder its writes to host memory; ignored where it is not supported. Polling on data is then unsafe. */
    RELAXED_ORDERING(1 << 20);

    private final int bit;

    AccessFlag(int bit) {
        this.bit = bit;
    }

    static int mask(AccessFlag... flags) {
        int mask = 0;
        for (AccessFlag flag : flags) {
            mask |= flag.bit;
        }
        return mask;
    }
}
