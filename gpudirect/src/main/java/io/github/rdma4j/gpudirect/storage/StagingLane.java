// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaEvent;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.HostMemory;
import java.time.Duration;
import java.util.Arrays;

/** Pinned chunks with a stream, for one transfer at a time. */
final class StagingLane implements AutoCloseable {
    private final CudaStream stream;
    private final HostMemory memory;
    private final CudaEvent[] events;
    private final boolean[] copying;
    private final long slotSize;
    /** The offset of the first slot in the pinned memory, so that slots begin at a block boundary. */
    private final long base;

    private StagingLane(CudaStream stream, HostMemory memory, CudaEvent[] events, long slotSize) {
        this.stream = stream;
        this.memory = memory;
        this.events = events;
        this.copying = new boolean[events.length];
        this.slotSize = slotSize;
        this.base = alignment(memory);
    }

    static StagingLane make(CudaContext context, int chunkSize, int slots) {
        long slotSize = (long) chunkSize + OpenFile.MARGIN;
        CudaStream stream = context.createStream();
        HostMemory memory = null;
        CudaEvent[] events = new CudaEvent[slots];
        boolean made = false;
        try {
            memory = context.allocateHost(slotSize * slots + OpenFile.BLOCK);
            for (int i = 0; i < slots; i++) {
                events[i] = context.createEvent();
            }
            made = true;
            return new StagingLane(stream, memory, events, slotSize);
        } finally {
            if (!made) {
                Closing closing = new Closing();
                for (CudaEvent event : events) {
                    closing.close(event);
                }
                closing.close(memory);
                closing.close(stream);
            }
        }
    }

    /** Returns the distance from the start of pinned memory to the first block boundary. */
    static long alignment(HostMemory memory) {
        return -memory.segment().address() & OpenFile.BLOCK - 1;
    }

    int slots() {
        return events.length;
    }

    /** Returns the address of a slot, for reading and writing the file. */
    long address(int slot) {
        return memory.segment().address() + base + slot * slotSize;
    }

    /** Queues a copy to the device, of a part of the file that was read into a slot. */
    void toDevice(int slot, DeviceMemory target, long targetOffset, long fileOffset, long length) {
        stream.copyToDevice(target, targetOffset, memory, position(slot, fileOffset), length);
        events[slot].record(stream);
        copying[slot] = true;
    }

    /** Queues a copy to a slot, which will then be written to the file. */
    void toHost(int slot, DeviceMemory source, long sourceOffset, long fileOffset, long length) {
        stream.copyToHost(memory, position(slot, fileOffset), source, sourceOffset, length);
        events[slot].record(stream);
        copying[slot] = true;
    }

    private long position(int slot, long fileOffset) {
        return base + slot * slotSize + OpenFile.positionOf(fileOffset);
    }

    /** Waits for the copy of a slot. Returns false at the timeout. */
    boolean await(int slot, Duration limit) {
        if (!copying[slot]) {
            return true;
        }
        // The first check allocates nothing, and most copies are done by then.
        if (!events[slot].isDone() && !events[slot].await(limit)) {
            return false;
        }
        copying[slot] = false;
        return true;
    }

    /** Waits for all copies. Returns false at the timeout. */
    boolean drain(Duration limit) {
        for (int i = 0; i < events.length; i++) {
            if (!await(i, limit)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Called after a failure. Returns whether no copy of this lane is in progress any more. Includes a copy whose event
     * could not be recorded.
     */
    boolean settle(Duration limit) {
        try {
            boolean idle = stream.await(limit);
            if (idle) {
                Arrays.fill(copying, false);
            }
            return idle;
        } catch (RuntimeException e) {
            // The context is lost, or the thread was interrupted. The stream keeps the memory from being freed during
            // the copies. The lane is set aside.
            return false;
        }
    }

    /** Frees the lane. Freeing pinned memory waits for the copies. */
    @Override
    public void close() {
        Closing closing = new Closing();
        for (CudaEvent event : events) {
            closing.close(event);
        }
        closing.close(stream);
        closing.close(memory);
        closing.finish();
    }
}
