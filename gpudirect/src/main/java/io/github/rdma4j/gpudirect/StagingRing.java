// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaEvent;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;

/** The pinned chunks of one direction of a channel, registered with its adapter. For one thread at a time. */
final class StagingRing implements Copier, AutoCloseable {
    private final ContextStore store;
    private final Staging staging;
    private final MemoryRegion region;
    private final MemorySlice[] chunks;
    /** Whether the event could not be recorded, so that the stream must be queried for the end of the copy. */
    private final boolean[] unrecorded;

    StagingRing(ProtectionDomain domain, ContextStore store, int chunkSize, int count) {
        this.store = store;
        staging = store.take(chunkSize, count);
        HostMemory memory = staging.memory();
        MemoryRegion made = null;
        try {
            made = domain.registerMemory(memory.segment(), AccessFlag.LOCAL_WRITE);
            // A context frees its host memory when it is closed, which must not happen before the adapter has released
            // it.
            memory.addDependent(made);
        } catch (RuntimeException e) {
            Undo.after(e, made);
            store.giveBack(staging);
            throw e;
        }
        region = made;
        chunks = new MemorySlice[count];
        for (int i = 0; i < count; i++) {
            chunks[i] = region.slice((long) i * chunkSize, chunkSize);
        }
        unrecorded = new boolean[count];
    }

    /** Returns the used part of a slot. */
    MemorySlice slice(Slots.Slot slot) {
        MemorySlice whole = chunks[slot.index()];
        return slot.length == whole.length() ? whole : whole.slice(0, slot.length);
    }

    private long start(Slots.Slot slot) {
        return (long) slot.index() * staging.chunkSize();
    }

    @Override
    public RuntimeException copyOut(Slots.Slot slot) {
        unrecorded[slot.index()] = true;
        if (slot.length > 0) {
            DeviceSlice part = ((Work) slot.job).place().device();
            long offset = part.offset() + slot.job.chunkStart(slot.chunk);
            staging.stream().copyToHost(staging.memory(), start(slot), part.memory(), offset, slot.length);
        }
        return record(slot);
    }

    @Override
    public RuntimeException copyIn(Slots.Slot slot, boolean last) {
        unrecorded[slot.index()] = true;
        Work work = (Work) slot.job;
        CudaStream stream = staging.stream();
        if (slot.length > 0) {
            DeviceSlice part = work.place().device();
            long offset = part.offset() + work.chunkStart(slot.chunk);
            stream.copyToDevice(part.memory(), offset, staging.memory(), start(slot), slot.length);
        }
        if (last) {
            work.afterLastCopy(stream);
        }
        RuntimeException failure = record(slot);
        if (last && failure == null) {
            work.lastCopy(event(slot));
        }
        return failure;
    }

    private CudaEvent event(Slots.Slot slot) {
        return staging.events()[slot.index()];
    }

    private RuntimeException record(Slots.Slot slot) {
        try {
            event(slot).record(staging.stream());
            unrecorded[slot.index()] = false;
            return null;
        } catch (RuntimeException e) {
            // The copy is in progress, and the slot is not free before it has ended.
            return e;
        }
    }

    @Override
    public boolean isOver(Slots.Slot slot) {
        try {
            return unrecorded[slot.index()]
                    ? staging.stream().isDone()
                    : event(slot).isDone();
        } catch (CudaException e) {
            if (e.isContextLost()) {
                throw e;
            }
            // The driver refuses the query, for instance while a thread captures a stream: the copy may be in progress.
            return false;
        }
    }

    /** Deregisters the chunks and keeps them for the next channel. Their copies have ended. */
    @Override
    public void close() {
        if (region.isOpen()) {
            region.close();
        }
        staging.memory().removeDependent(region);
        store.giveBack(staging);
    }
}
