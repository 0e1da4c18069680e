// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.base.UseGuard;

/**
 * What other packages of this library do with memory regions and the public API does not offer. {@code MemoryRegion}
 * registers the implementation.
 */
public final class RegionAccess {
    /** The access to regions. */
    public interface Door {
        /**
         * Reserves a region of a memory pool: only {@link #close}, or a close of its protection domain, closes it from
         * now on.
         *
         * @param region a region
         */
        void keep(AutoCloseable region);

        /**
         * Closes a reserved region.
         *
         * @param region a region
         */
        void close(AutoCloseable region);

        /**
         * Returns the guard that a thread enters to read or write the memory for an endpoint over TCP. The close of the
         * region waits for threads that are inside. After {@link UseGuard#enter()}, check that the region is open: a
         * guard that is created for a closed region is open.
         *
         * @param region a region
         * @return its guard
         */
        UseGuard guard(AutoCloseable region);

        /**
         * Makes the close of a region close another one first, which has the same memory.
         *
         * @param part closed with the region
         * @param region any region, also one without an adapter or of another device
         * @throws IllegalStateException if the region is closed
         */
        void closeWith(AutoCloseable part, AutoCloseable region);
    }

    private static volatile Door door;

    private RegionAccess() {}

    /**
     * Registers the implementation. Called once, by {@code MemoryRegion}, before there is a region.
     *
     * @param ofRegions the implementation
     */
    public static void door(Door ofRegions) {
        door = ofRegions;
    }

    /** {@return the access to regions} */
    public static Door door() {
        return door;
    }
}
