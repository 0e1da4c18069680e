// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

/**
 * Lets the memory pool, which is in another package, keep its regions from being closed by users of a part of them.
 * {@code MemoryRegion} registers the implementation, so that its public API does not need it.
 */
public final class PooledRegions {
    /** The access of the pool to regions. */
    public interface Door {
        /**
         * Reserves a region: only {@link #close}, or a close of its protection domain, closes it from now on.
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
    }

    private static volatile Door door;

    private PooledRegions() {}

    /**
     * Registers the implementation. Called once, by {@code MemoryRegion}, before there is a region.
     *
     * @param ofRegions the implementation
     */
    public static void door(Door ofRegions) {
        door = ofRegions;
    }

    /**
     * See {@link Door#keep}.
     *
     * @param region a region
     */
    public static void keep(AutoCloseable region) {
        door.keep(region);
    }

    /**
     * See {@link Door#close}.
     *
     * @param region a region
     */
    public static void close(AutoCloseable region) {
        door.close(region);
    }
}
