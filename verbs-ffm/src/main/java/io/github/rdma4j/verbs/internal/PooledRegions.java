// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

/**
 * How the memory pool, in a package of its own, keeps its regions from being closed by those who use a part of them.
 * The class of regions brings the door, so that its public face needs none.
 */
public final class PooledRegions {
    /** What the class of regions does for the pool. */
    public interface Door {
        /**
         * From now on only {@link #close} closes the region, or the close of its protection domain.
         *
         * @param region a region
         */
        void keep(AutoCloseable region);

        /**
         * Closes a region that was kept.
         *
         * @param region a region
         */
        void close(AutoCloseable region);
    }

    private static volatile Door door;

    private PooledRegions() {}

    /**
     * Called once, by the class of regions, before there is any.
     *
     * @param ofRegions what it does
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
