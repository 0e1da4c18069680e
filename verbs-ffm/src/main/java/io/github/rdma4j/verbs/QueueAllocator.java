// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Gives the adapter's library memory for its queues ({@code alloc} and {@code free} of {@code struct
 * ibv_parent_domain_init_attr}): huge pages, or memory near a processor. It is called back from within the native calls
 * that create and close queues; an exception becomes a failed allocation, and its stack trace is lost.
 *
 * @since 0.1.0
 */
public interface QueueAllocator {
    /**
     * Allocates memory for a queue.
     *
     * @param size in bytes
     * @param alignment of its address, a power of two
     * @param resourceType what it is for: the driver in the upper 32 bits, the driver's own code in the lower
     * @return native memory, zeroed, that stays until {@link #free} and that a fork does not copy; null to let the
     *     library use its own
     */
    MemorySegment allocate(long size, long alignment, long resourceType);

    /**
     * Takes memory back.
     *
     * @param memory what {@link #allocate} returned
     * @param resourceType as it was there
     */
    void free(MemorySegment memory, long resourceType);
}
