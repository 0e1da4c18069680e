// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

/**
 * The state of a {@link RegisteredMemoryPool} at one moment. All sizes in bytes.
 *
 * @param inUse in blocks that are given out; what was asked for, rounded up
 * @param requested what was asked for
 * @param peak the most that was in use at a time
 * @param registered in chunks, in use or not
 * @param peakRegistered the most that was registered at a time
 * @param limit the most that may be registered; {@link Long#MAX_VALUE} for no limit
 * @param chunks how many regions hold the memory now
 * @param outstanding how many allocations are given out
 * @param allocations how many there were in all
 * @param registrations how many regions were registered for them in all
 * @param waits how many allocations had to wait for memory
 * @param lockedMemoryLimit RLIMIT_MEMLOCK of the process; {@link Long#MAX_VALUE} if unlimited, -1 if not known
 * @param pinned what the process has pinned in all, -1 if not known
 * @param pages what the newest chunk is made of, such as {@code transparent huge pages}, and why it is not what was
 *     asked for; empty before the first chunk
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
        String pages) {

    /** {@return the number of allocations for each registration, which is what a pool is for; 0 before the first} */
    public double allocationsPerRegistration() {
        return registrations == 0 ? 0 : (double) allocations / registrations;
    }

    /** {@return how much of RLIMIT_MEMLOCK is taken, in words} */
    public String lockedMemory() {
        if (lockedMemoryLimit < 0) {
            return "RLIMIT_MEMLOCK is not known";
        }
        return lockedMemoryLimit == Long.MAX_VALUE
                ? "RLIMIT_MEMLOCK is unlimited"
                : "%d of %d bytes of RLIMIT_MEMLOCK are pinned".formatted(pinned, lockedMemoryLimit);
    }
}
