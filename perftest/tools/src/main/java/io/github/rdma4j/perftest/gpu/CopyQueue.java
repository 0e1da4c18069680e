// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gpu;

import io.github.rdma4j.cuda.CudaEvent;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import java.lang.foreign.MemorySegment;

/**
 * Copies between device memory and pinned host memory that follow each other on one stream, and how many of them are
 * done. Several small ones share an event.
 *
 * <p>Nothing waits, and nothing is allocated. For use by one thread.
 */
public final class CopyQueue {
    /** After this many bytes the queue records an event, so that their completion becomes visible. */
    private static final long GROUP = 256 << 10;

    private static final int EVENTS = 16;

    private final CudaStream stream;
    private final DeviceMemory device;
    private final MemorySegment host;
    private final CudaEvent[] events = new CudaEvent[EVENTS];
    private final long[] ends = new long[EVENTS];
    private long recorded;
    private long passed;
    private long queued;
    private long marked;
    private long done;
    private long bytes;

    /**
     * @param stream on which they are queued
     * @param device one end of them
     * @param host the other
     */
    public CopyQueue(CudaStream stream, DeviceMemory device, MemorySegment host) {
        this.stream = stream;
        this.device = device;
        this.host = host;
        for (int i = 0; i < EVENTS; i++) {
            // Closed with the context.
            events[i] = device.context().createEvent();
        }
    }

    /** Restarts the count at 0. All copies must be done. */
    public void reset() {
        queued = 0;
        marked = 0;
        done = 0;
        bytes = 0;
        passed = recorded;
    }

    /** Returns whether no copy can be queued until some are done. */
    public boolean full() {
        return recorded - passed == EVENTS;
    }

    /** Queues one from the device, if this is not {@link #full()}. */
    public void copyToHost(long deviceOffset, long hostOffset, long length) {
        stream.copyToHost(host, hostOffset, device, deviceOffset, length);
        count(length);
    }

    /** Queues one to the device, if this is not {@link #full()}. */
    public void copyToDevice(long deviceOffset, long hostOffset, long length) {
        stream.copyToDevice(device, deviceOffset, host, hostOffset, length);
        count(length);
    }

    private void count(long length) {
        queued++;
        bytes += length;
        if (bytes >= GROUP) {
            mark();
        }
    }

    /** Records an event. Call it when no more copies follow immediately. */
    public void mark() {
        if (marked != queued && !full()) {
            int next = (int) (recorded++ % EVENTS);
            events[next].record(stream);
            ends[next] = queued;
            marked = queued;
            bytes = 0;
        }
    }

    /** Returns how many copies have been queued. */
    public long queued() {
        return queued;
    }

    /** Returns how many copies are done, which it queries from the driver. */
    public long done() {
        while (passed != recorded) {
            int next = (int) (passed % EVENTS);
            if (!events[next].isDone()) {
                break;
            }
            done = ends[next];
            passed++;
        }
        return done;
    }
}
