// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.Map;
import java.util.TreeMap;

/**
 * The free parts of a range, as offsets and sizes. It takes the first fit and joins neighbours. Sizes are rounded up to
 * a unit only, because a GPU's window is too small for powers of two. For one thread at a time.
 */
final class FreeRanges {
    static final long NONE = -1;

    private final long size;
    private final long unit;
    private final TreeMap<Long, Long> free = new TreeMap<>();
    private long freeBytes;

    /**
     * A range that is free.
     *
     * @param size in bytes, a multiple of the unit
     * @param unit a power of two
     */
    FreeRanges(long size, long unit) {
        this.size = size;
        this.unit = unit;
        free.put(0L, size);
        freeBytes = size;
    }

    static long rounded(long bytes, long unit) {
        return (bytes + unit - 1) & -unit;
    }

    long size() {
        return size;
    }

    long freeBytes() {
        return freeBytes;
    }

    boolean isUnused() {
        return freeBytes == size;
    }

    /** The offset of so many bytes, {@link #NONE} if no part is so large. */
    long take(long bytes) {
        long wanted = rounded(bytes, unit);
        for (Map.Entry<Long, Long> part : free.entrySet()) {
            if (part.getValue() >= wanted) {
                long offset = part.getKey();
                long left = part.getValue() - wanted;
                free.remove(offset);
                if (left > 0) {
                    free.put(offset + wanted, left);
                }
                freeBytes -= wanted;
                return offset;
            }
        }
        return NONE;
    }

    /** What {@link #take} has given out. */
    void giveBack(long offset, long bytes) {
        long start = offset;
        long length = rounded(bytes, unit);
        freeBytes += length;
        Map.Entry<Long, Long> before = free.lowerEntry(offset);
        if (before != null && before.getKey() + before.getValue() == offset) {
            free.remove(before.getKey());
            start = before.getKey();
            length += before.getValue();
        }
        Long behind = free.remove(start + length);
        free.put(start, length + (behind == null ? 0 : behind));
    }
}
