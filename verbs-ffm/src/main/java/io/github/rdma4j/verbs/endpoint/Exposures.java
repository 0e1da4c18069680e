// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The regions that peers over TCP may use, by their keys: what an adapter has in its tables. It asks what an adapter
 * asks: is there a region with this key, is it open, does it have the right, does the range lie within it.
 *
 * <p>Thread safety: all methods may be called from any thread.
 */
final class Exposures {
    private final Map<Integer, MemoryRegion> regions = new ConcurrentHashMap<>();

    /** Enters a region, and forgets those that are closed; false if another one that is open has its key. */
    boolean add(MemoryRegion region) {
        regions.values().removeIf(known -> !isThere(known));
        MemoryRegion before = regions.putIfAbsent(region.remoteKey(), region);
        return before == null || before == region;
    }

    /**
     * The region that a peer names.
     *
     * @param right that the peer needs
     * @return the region; null if the peer may not do that there
     */
    MemoryRegion find(int key, long address, long length, AccessFlag right) {
        MemoryRegion region = regions.get(key);
        return region != null
                        && isThere(region)
                        && region.allows(right)
                        && contains(region.address(), region.length(), address, length)
                ? region
                : null;
    }

    /** Whether neither the region nor the memory that it is of was closed. */
    static boolean isThere(MemoryRegion region) {
        return region.isOpen() && region.segment().scope().isAlive();
    }

    /** Addresses are without sign, and a range that goes beyond the last one is none. */
    static boolean contains(long start, long size, long address, long length) {
        long offset = address - start;
        return length >= 0 && length <= size && Long.compareUnsigned(offset, size - length) <= 0;
    }
}
