// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.Map;
import java.util.TreeMap;

/**
 * The free parts of a range, as offsets and sizes. Allocates first-fit and merges neighbours. Sizes are rounded up to a
 * unit, not to powers of two, because a GPU's window is small. For one thread at a time.
 */
final class FreeRanges {
    static final long NONE = -1;

    private final long size;
    private final long unit;
    private final TreeMap<Long, Long> free = new TreeMap<>();
    private long freeBytes;

    /**
     * Creates a range that is completely free.
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

    /** Returns the offset of a free part of this size, or {@link #NONE}. */
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

    /** Returns a part that {@link #take} returned. */
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
