// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

import java.util.Arrays;

/**
 * Divides a range into blocks of powers of two: the buddy system, as a complete binary tree in an array of bytes, like
 * jemalloc's and Netty's chunks. A node stores the largest free block below it, so allocating and freeing a block walk
 * along one path; neither allocates Java objects. It only handles offsets, not the memory. For one thread at a time.
 */
final class BuddyAllocator {
    /** The result of an allocation if no free block is large enough. */
    static final long NONE = -1;

    private final long minBlock;
    private final int levels;
    private final int leaves;

    /**
     * By node, from 1, the root: 0 if no block below is free, else 1 + the order of the largest free block; a block of
     * order k has {@code minBlock << k} bytes. An allocated block has 0 at its node, and the nodes below it are
     * unchanged.
     */
    private final byte[] largest;

    private long free;

    /**
     * Creates an allocator for a free range.
     *
     * @param size in bytes; {@code minBlock} times a power of two
     * @param minBlock the smallest block in bytes
     */
    BuddyAllocator(long size, long minBlock) {
        long count = minBlock < 1 ? 0 : size / minBlock;
        if (count * minBlock != size || Long.bitCount(count) != 1 || count > 1 << 28) {
            throw new IllegalArgumentException(
                    "%d bytes in blocks of at least %d: not a power of two of them".formatted(size, minBlock));
        }
        this.minBlock = minBlock;
        this.leaves = (int) count;
        this.levels = Long.numberOfTrailingZeros(count);
        this.largest = new byte[2 * leaves];
        for (int level = 0; level <= levels; level++) {
            Arrays.fill(largest, 1 << level, 2 << level, (byte) (levels - level + 1));
        }
        this.free = size;
    }

    /** Returns the block size of an allocation; larger than the range if it cannot fit. */
    long blockSize(long size) {
        return minBlock << order(size);
    }

    private int order(long size) {
        long blocks = (size + minBlock - 1) / minBlock;
        return blocks <= 1 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(blocks - 1);
    }

    /**
     * Allocates a block.
     *
     * @param size in bytes, above 0
     * @return its offset, a multiple of its own size, or {@link #NONE}
     */
    long allocate(long size) {
        int order = order(size);
        if (order > levels || largest[1] <= order) {
            return NONE;
        }
        int node = 1;
        for (int below = levels; below > order; below--) {
            int left = 2 * node;
            // If both fit, the one with less to spare, so that large blocks remain whole.
            boolean leftFits = largest[left] > order;
            boolean rightFits = largest[left + 1] > order;
            node = leftFits && (!rightFits || largest[left] <= largest[left + 1]) ? left : left + 1;
        }
        largest[node] = 0;
        update(node);
        free -= minBlock << order;
        return (long) (node - (1 << levels - order)) * (minBlock << order);
    }

    /**
     * Frees a block.
     *
     * @param offset the offset of an allocated block
     * @return its size
     * @throws IllegalStateException if no block that starts there is allocated
     */
    long free(long offset) {
        int node = leaves + Math.toIntExact(offset / minBlock);
        int order = 0;
        while (node > 1 && largest[node] != 0) {
            node >>= 1;
            order++;
        }
        long size = minBlock << order;
        long start = (long) (node - (1 << levels - order)) * size;
        if (largest[node] != 0 || start != offset) {
            throw new IllegalStateException("no block at offset " + offset + " is allocated");
        }
        largest[node] = (byte) (order + 1);
        update(node);
        free += size;
        return size;
    }

    private void update(int changed) {
        int node = changed >> 1;
        int order = levels - (Integer.SIZE - 1 - Integer.numberOfLeadingZeros(changed)) + 1;
        while (node >= 1) {
            byte left = largest[2 * node];
            byte right = largest[2 * node + 1];
            boolean bothWhole = left == order && right == order;
            largest[node] = bothWhole ? (byte) (order + 1) : (byte) Math.max(left, right);
            node >>= 1;
            order++;
        }
    }

    /** {@return the bytes that are not allocated} */
    long freeBytes() {
        return free;
    }

    /** {@return the size of the largest block that can be allocated, 0 if none} */
    long largestFree() {
        return largest[1] == 0 ? 0 : minBlock << largest[1] - 1;
    }

    /** {@return whether nothing is allocated} */
    boolean isUnused() {
        return free == minBlock * leaves;
    }
}
