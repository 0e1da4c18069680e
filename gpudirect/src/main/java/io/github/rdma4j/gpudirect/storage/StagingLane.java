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
    /** Of the first slot in the pinned memory: slots begin with a block. */
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

    /** How far the first block lies behind the beginning of pinned memory. */
    static long alignment(HostMemory memory) {
        return -memory.segment().address() & OpenFile.BLOCK - 1;
    }

    int slots() {
        return events.length;
    }

    /** The address of a slot, for reading and writing the file. */
    long address(int slot) {
        return memory.segment().address() + base + slot * slotSize;
    }

    /** Queues a copy of a part of the file that was read to a slot. */
    void toDevice(int slot, DeviceMemory target, long targetOffset, long fileOffset, long length) {
        stream.copyToDevice(target, targetOffset, memory, place(slot, fileOffset), length);
        events[slot].record(stream);
        copying[slot] = true;
    }

    /** Queues a copy to a slot, from which a part of the file will be written. */
    void toHost(int slot, DeviceMemory source, long sourceOffset, long fileOffset, long length) {
        stream.copyToHost(memory, place(slot, fileOffset), source, sourceOffset, length);
        events[slot].record(stream);
        copying[slot] = true;
    }

    private long place(int slot, long fileOffset) {
        return base + slot * slotSize + OpenFile.placeOf(fileOffset);
    }

    /** Waits for the copy of a slot; false if the time is over. */
    boolean await(int slot, Duration limit) {
        if (!copying[slot]) {
            return true;
        }
        // The first look allocates nothing, and most copies are done by then.
        if (!events[slot].isDone() && !events[slot].await(limit)) {
            return false;
        }
        copying[slot] = false;
        return true;
    }

    /** Waits for all copies; false if the time is over. */
    boolean drain(Duration limit) {
        for (int i = 0; i < events.length; i++) {
            if (!await(i, limit)) {
                return false;
            }
        }
        return true;
    }

    /**
     * After a failure: whether nothing of this lane touches memory any more. Also if a copy was queued and its event
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
            // A lost context, or an interrupted thread. The copies hold the memory by their stream; the lane is put
            // aside.
            return false;
        }
    }

    /** Frees it; pinned memory waits for the copies. */
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
