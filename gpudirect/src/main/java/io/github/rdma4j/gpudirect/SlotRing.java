// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaEvent;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import java.time.Duration;
import java.util.ArrayDeque;

/** Pinned chunks of one direction, and the stream that copies between them and the device. For one thread at a time. */
final class SlotRing implements AutoCloseable {
    private static final Duration END_OF_COPIES = Duration.ofSeconds(10);

    /** A pinned chunk and what it is used for now. */
    static final class Slot {
        private final int index;
        private final CudaEvent event;
        private final MemorySlice whole;
        Transfer transfer;
        /** Its number in the transfer, from 0. */
        long chunk;

        int length;
        /** Whether the event could not be recorded, so that the whole stream tells when the copy is done. */
        private boolean unrecorded;
        /** Why the copy failed, null if it has not. */
        RuntimeException failure;

        private Slot(int index, CudaEvent event, MemorySlice whole) {
            this.index = index;
            this.event = event;
            this.whole = whole;
        }

        /** What of it is used. */
        MemorySlice slice() {
            return length == whole.length() ? whole : whole.slice(0, length);
        }
    }

    private final HostMemory memory;
    private final MemoryRegion region;
    private final CudaStream stream;
    private final int chunkSize;
    private final Slot[] free;
    private int freeCount;
    private final ArrayDeque<Slot> copying;

    SlotRing(ProtectionDomain domain, CudaContext context, int chunkSize, int count) {
        this.chunkSize = chunkSize;
        memory = context.allocateHost((long) chunkSize * count);
        // What comes after the memory is closed with it, if the last of it cannot be made.
        try {
            region = domain.registerMemory(memory.segment(), AccessFlag.LOCAL_WRITE);
            memory.addDependent(region);
            stream = context.createStream();
            memory.addDependent(stream);
            free = new Slot[count];
            copying = new ArrayDeque<>(count);
            for (int i = count - 1; i >= 0; i--) {
                CudaEvent event = context.createEvent();
                memory.addDependent(event);
                free[freeCount++] = new Slot(i, event, region.slice((long) i * chunkSize, chunkSize));
            }
        } catch (RuntimeException e) {
            try {
                memory.close();
            } catch (RuntimeException inClose) {
                e.addSuppressed(inClose);
            }
            throw e;
        }
    }

    boolean hasFree() {
        return freeCount > 0;
    }

    boolean isIdle() {
        return freeCount == free.length;
    }

    Slot take(Transfer transfer, long chunk, int length) {
        Slot slot = free[--freeCount];
        slot.transfer = transfer;
        slot.chunk = chunk;
        slot.length = length;
        return slot;
    }

    void release(Slot slot) {
        slot.transfer = null;
        slot.failure = null;
        slot.unrecorded = false;
        free[freeCount++] = slot;
    }

    /**
     * Queues the copy from the device to a slot. What it throws was not queued.
     *
     * @param offset of the first byte in the part
     */
    void copyOut(Slot slot, DeviceSlice part, long offset) {
        if (slot.length > 0) {
            stream.copyToHost(
                    memory, (long) slot.index * chunkSize, part.memory(), part.offset() + offset, slot.length);
        }
        queued(slot);
    }

    /**
     * Queues the copy from a slot to the device. What it throws was not queued.
     *
     * @param offset of the first byte in the part
     * @param ending the transfer that ends with this copy; null if none does
     */
    void copyIn(Slot slot, DeviceSlice part, long offset, Transfer ending) {
        if (slot.length > 0) {
            stream.copyToDevice(
                    part.memory(), part.offset() + offset, memory, (long) slot.index * chunkSize, slot.length);
        }
        if (ending != null) {
            ending.beforeLastCopyEnds(stream);
        }
        queued(slot);
        if (ending != null && !slot.unrecorded) {
            ending.lastCopy(slot.event);
        }
    }

    private void queued(Slot slot) {
        copying.add(slot);
        try {
            slot.event.record(stream);
        } catch (RuntimeException e) {
            // The copy is under way, and the slot not free before it is done.
            slot.unrecorded = true;
            slot.failure = e;
        }
    }

    /**
     * The slot whose copy was queued first, if that is done; it stays there until {@link #removeCopied}. Null if there
     * is none.
     */
    Slot firstCopied() {
        Slot slot = copying.peek();
        if (slot == null) {
            return null;
        }
        try {
            return (slot.unrecorded ? stream.isDone() : slot.event.isDone()) ? slot : null;
        } catch (RuntimeException e) {
            // The driver does no more work for a context in which work has failed.
            slot.failure = e;
            return slot;
        }
    }

    void removeCopied() {
        copying.remove();
    }

    /** Has nobody wait for copies any more. */
    void abandon(RuntimeException cause) {
        for (Slot slot : copying) {
            slot.transfer.abandon(cause);
        }
        copying.clear();
    }

    /**
     * Waits for the copies, then frees everything; memory that is copied to or from for too long is left to the
     * context.
     */
    @Override
    public void close() {
        boolean done;
        try {
            done = stream.await(END_OF_COPIES);
        } catch (RuntimeException e) {
            done = true;
        }
        if (done) {
            memory.close();
        } else {
            region.close();
        }
    }
}
