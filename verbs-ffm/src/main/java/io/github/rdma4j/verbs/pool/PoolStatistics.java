// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

/**
 * The state of a {@link RegisteredMemoryPool} at one moment. All sizes in bytes.
 *
 * @param inUse the bytes of allocated blocks: the requested bytes, rounded up
 * @param requested the requested bytes
 * @param peak the maximum of bytes in use
 * @param registered the bytes of all chunks, in use or not
 * @param peakRegistered the maximum of registered bytes
 * @param limit the limit of registered bytes; {@link Long#MAX_VALUE} for no limit
 * @param chunks the number of regions that hold the memory now
 * @param outstanding the number of allocations that are not returned
 * @param allocations the total number of allocations
 * @param registrations the total number of registrations
 * @param waits the number of allocations that had to wait for memory
 * @param lockedMemoryLimit RLIMIT_MEMLOCK of the process; {@link Long#MAX_VALUE} if unlimited, -1 if unknown
 * @param pinned the total bytes that the process has pinned, -1 if unknown
 * @param pages the pages of the newest chunk, such as {@code transparent huge pages}, and why they are not the
 *     preferred ones; empty before the first chunk
 * @since 0.1.0
 */
public record PoolStatistics(
        long inUse,
        long requested,
        long peak,
        long registered,
        long peakRegistered,
        long limit,
        int chunks,
        long outstanding,
        long allocations,
        long registrations,
        long waits,
        long lockedMemoryLimit,
        long pinned,
        String pages) {}
