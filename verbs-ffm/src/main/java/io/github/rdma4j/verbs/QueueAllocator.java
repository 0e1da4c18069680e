// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Allocates memory for the queues of the adapter's library ({@code alloc} and {@code free} of
 * {@code struct ibv_parent_domain_init_attr}), for instance huge pages or memory near a CPU. It is called from within
 * the native calls that create and close queues. An exception becomes a failed allocation, and its stack trace is lost.
 *
 * @since 0.1.0
 */
public interface QueueAllocator {
    /**
     * Allocates memory for a queue.
     *
     * @param size in bytes
     * @param alignment of its address, a power of two
     * @param resourceType the purpose: the driver in the upper 32 bits, the driver's own code in the lower 32 bits
     * @return native memory, zeroed, that stays until {@link #free} and that a fork does not copy; null to let the
     *     library use its own
     */
    MemorySegment allocate(long size, long alignment, long resourceType);

    /**
     * Frees memory.
     *
     * @param memory the segment that {@link #allocate} returned
     * @param resourceType the same value as in {@link #allocate}
     */
    void free(MemorySegment memory, long resourceType);
}
