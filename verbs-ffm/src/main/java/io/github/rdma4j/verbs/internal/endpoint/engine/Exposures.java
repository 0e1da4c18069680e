// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.base.UseGuard;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.internal.RegionAccess;
import io.github.rdma4j.verbs.internal.StackReserve;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The regions that peers over TCP may use, by their keys, like the tables of an adapter. It makes the checks of an
 * adapter: there is a region with this key, it is open, it has the right, and the range lies within it.
 *
 * <p>Thread safety: all methods may be called from any thread.
 */
public final class Exposures {
    /** Fewer regions than this are never searched for closed ones. */
    private static final int FEWEST = 16;

    private final Map<Integer, MemoryRegion> regions = new ConcurrentHashMap<>();
    /** The number of regions at which the closed ones are removed. Guarded by this object. */
    private int sweepAt = FEWEST;

    /**
     * Adds a region. The cost does not depend on the number of regions: closed regions are removed whenever there are
     * twice as many regions as were open at the last removal.
     *
     * @return false if another open region has the key
     */
    public synchronized boolean add(MemoryRegion region) {
        if (regions.size() >= sweepAt) {
            regions.values().removeIf(known -> !isThere(known));
            sweepAt = nextSweep(regions.size());
        }
        MemoryRegion before = regions.get(region.remoteKey());
        if (before != null && before != region && isThere(before)) {
            return false;
        }
        regions.put(region.remoteKey(), region);
        return true;
    }

    /**
     * {@return the number of entries at which a table removes closed ones, so that adding has constant amortized cost}
     *
     * @param open the number of entries after the last removal
     */
    public static int nextSweep(int open) {
        return Math.max(FEWEST, (int) Math.min(Integer.MAX_VALUE, 2L * open));
    }

    /** For tests: the number of regions, including closed ones that were not removed yet. */
    int size() {
        return regions.size();
    }

    /**
     * Finds the region that a peer names.
     *
     * @param right the right that the peer needs
     * @return the region; null if the peer may not access the range
     */
    public MemoryRegion find(int key, long address, long length, AccessFlag right) {
        MemoryRegion region = regions.get(key);
        return region != null
                        && isThere(region)
                        && region.allows(right)
                        && contains(region.address(), region.length(), address, length)
                ? region
                : null;
    }

    /**
     * Begins a copy between the region and a connection. Until {@link #endCopy}, its close waits.
     *
     * @return false if the region or its memory was closed; then no copy has begun
     */
    public static boolean beginCopy(MemoryRegion region) {
        // An overflow of the stack behind the entry could keep the guard entered.
        StackReserve.require(region);
        UseGuard guard = RegionAccess.door().guard(region);
        if (!guard.enter()) {
            return false;
        }
        if (isThere(region)) {
            return true;
        }
        guard.exit();
        return false;
    }

    /** Ends a copy that {@link #beginCopy} has begun. */
    public static void endCopy(MemoryRegion region) {
        RegionAccess.door().guard(region).exit();
    }

    /** Whether neither the region nor its memory was closed. */
    public static boolean isThere(MemoryRegion region) {
        return region.isOpen() && region.segment().scope().isAlive();
    }

    /** Whether a range lies within another one. Addresses are unsigned; a range beyond the last address never does. */
    static boolean contains(long start, long size, long address, long length) {
        long offset = address - start;
        return length >= 0 && length <= size && Long.compareUnsigned(offset, size - length) <= 0;
    }
}
