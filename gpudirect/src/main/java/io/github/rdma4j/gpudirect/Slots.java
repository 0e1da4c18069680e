// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.ArrayDeque;

/** The slots of one direction: free slots, and slots that are being copied. For one thread at a time. */
final class Slots {
    /** Pinned memory for one chunk, and its current use. */
    static final class Slot {
        private final int index;
        Job job;
        /** The chunk's number in the transfer, from 0. */
        long chunk;

        int length;
        /** Whether a post owns the slot and releases it: the adapter may read the memory. */
        boolean posted;
        /** Why the copy failed; null if it did not fail. */
        RuntimeException failure;

        private Slot(int index) {
            this.index = index;
        }

        int index() {
            return index;
        }
    }

    private final Copier copier;
    private final Slot[] free;
    private int freeCount;
    private final ArrayDeque<Slot> copying;

    Slots(Copier copier, int count) {
        this.copier = copier;
        free = new Slot[count];
        copying = new ArrayDeque<>(count);
        for (int i = count - 1; i >= 0; i--) {
            free[freeCount++] = new Slot(i);
        }
    }

    boolean hasFree() {
        return freeCount > 0;
    }

    boolean isIdle() {
        return freeCount == free.length;
    }

    boolean isCopying() {
        return !copying.isEmpty();
    }

    Slot take(Job job, long chunk) {
        Slot slot = free[--freeCount];
        slot.job = job;
        slot.chunk = chunk;
        slot.length = job.chunkLength(chunk);
        return slot;
    }

    void release(Slot slot) {
        slot.job = null;
        slot.posted = false;
        slot.failure = null;
        free[freeCount++] = slot;
    }

    /** Queues the copy from the device to a slot. If this throws, nothing was queued. */
    void copyOut(Slot slot) {
        begin(slot);
        try {
            slot.failure = copier.copyOut(slot);
        } catch (RuntimeException e) {
            cancel(slot);
            throw e;
        }
    }

    /** Queues the copy from a slot to the device. If this throws, nothing was queued. */
    void copyIn(Slot slot, boolean last) {
        begin(slot);
        try {
            slot.failure = copier.copyIn(slot, last);
        } catch (RuntimeException e) {
            cancel(slot);
            throw e;
        }
    }

    /** Called before the copy is queued: after an error, the copy may be in progress, and the slot waits for it. */
    private void begin(Slot slot) {
        copying.add(slot);
        slot.job.beginCopy();
    }

    private void cancel(Slot slot) {
        copying.removeLast();
        slot.job.endCopy();
    }

    /**
     * Returns the slot whose copy was queued first, if that copy has ended; the slot stays in the queue until
     * {@link #removeCopied}. Otherwise returns null.
     */
    Slot firstCopied() {
        Slot slot = copying.peek();
        if (slot == null) {
            return null;
        }
        try {
            return copier.isOver(slot) ? slot : null;
        } catch (RuntimeException e) {
            if (slot.failure == null) {
                slot.failure = e;
            }
            return slot;
        }
    }

    void removeCopied() {
        copying.remove();
    }
}
