// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.perftest.gpu.CopyQueue;
import io.github.rdma4j.perftest.gpu.Gpu;
import io.github.rdma4j.perftest.plan.Depth;
import io.github.rdma4j.perftest.plan.Slots;
import io.github.rdma4j.perftest.stream.CopyPassage;
import io.github.rdma4j.perftest.stream.Lane;
import io.github.rdma4j.perftest.stream.Passage;
import io.github.rdma4j.perftest.stream.StagedReceives;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The pinned host memory through which messages pass if the adapter cannot access the GPU: some slots for each stream
 * and direction. Its size depends on the size of a message and the depth, not on the number of messages.
 */
final class StagingArea implements AutoCloseable {
    /**
     * The size of the slots of all streams of one direction together, unless the smallest number of slots needs more.
     */
    private static final long BUDGET = 64 << 20;

    /** Some slots are copied while others are in flight. */
    private static final int LEAST_SLOTS = 4;

    private enum Direction {
        OUTGOING,
        INCOMING,
        RECEIVED
    }

    private record Key(Direction direction, int stream) {}

    private record Pinned(HostMemory memory, MemoryRegion region) {}

    private final GpuMessageMemory memory;
    private final ProtectionDomain domain;
    private final int streams;
    private final Map<Key, Pinned> pinned = new HashMap<>();
    /** Memory that became too small. It stays open, because lanes made earlier may still use it. */
    private final List<Pinned> outgrown = new ArrayList<>();

    /**
     * @param memory on the GPU
     * @param domain of the adapter
     * @param streams how many share the host memory
     */
    StagingArea(GpuMessageMemory memory, ProtectionDomain domain, int streams) {
        this.memory = memory;
        this.domain = domain;
        this.streams = streams;
    }

    /**
     * Returns the requested number of slots, unless they would need too much memory; at least a few, and two lists.
     * Each position has the same number of slots.
     */
    private int slots(long step, int places, int wanted, int list) {
        long affordable = BUDGET / streams / step;
        long slots = Math.max(Math.min(wanted, affordable), Math.max(LEAST_SLOTS, 2L * list));
        return (int) (Math.ceilDiv(slots, places) * places);
    }

    /**
     * Returns how many messages of a size can be in flight. A completion frees the slots of a group, so there must be
     * several groups.
     */
    Depth depth(Depth wanted, Slots places) {
        int slots = slots(places.step(), places.count(), wanted.messages(), wanted.list());
        int moderation = wanted.list() > 1 ? wanted.moderation() : Math.clamp(slots / 2, 1, wanted.moderation());
        return new Depth(wanted.messages(), moderation, wanted.list());
    }

    /** The messages that a stream sends. */
    Lane outgoing(int stream, long deviceOffset, long size, Slots places, Depth depth) {
        CopyPassage.Ring ring = ring(deviceOffset, size, places, depth);
        Pinned host = pinned(Direction.OUTGOING, stream, ring.slots() * ring.step());
        return new Lane(
                slices(host, ring),
                CopyPassage.outgoing(
                        new CopyQueue(
                                gpu().toHost(), memory.device(), host.memory().segment()),
                        ring));
    }

    /** Returns the lane of a stream's answers. */
    Lane incoming(int stream, long deviceOffset, long size, Slots places, Depth depth) {
        CopyPassage.Ring ring = ring(deviceOffset, size, places, depth);
        Pinned host = pinned(Direction.INCOMING, stream, ring.slots() * ring.step());
        return new Lane(
                slices(host, ring),
                CopyPassage.incoming(
                        new CopyQueue(
                                gpu().toDevice(), memory.device(), host.memory().segment()),
                        ring));
    }

    /** Moves one message at a time, from its position in device memory to the same position in the mirror. */
    Passage outgoing(long offset, long size) {
        return CopyPassage.outgoing(mirror(gpu().toHost(), offset, size), single(offset, size));
    }

    /** Returns the passage of one message at a time, in the other direction. */
    Passage incoming(long offset, long size) {
        return CopyPassage.incoming(mirror(gpu().toDevice(), offset, size), single(offset, size));
    }

    private CopyQueue mirror(CudaStream stream, long offset, long size) {
        return new CopyQueue(stream, memory.device(), memory.staged().asSlice(offset, size));
    }

    private static CopyPassage.Ring single(long offset, long size) {
        return new CopyPassage.Ring(size, 1, size, 1, offset);
    }

    /**
     * Returns the slots that a stream receives into.
     *
     * @param deviceOffset the offset of the first position
     * @param length the length of a message, including a header before it
     * @param depth receives posted at a time
     * @param list the number of receives posted in one call
     */
    StagedReceives.Buffers buffers(int stream, long deviceOffset, long length, Slots places, int depth, int list) {
        int slots = slots(places.step(), places.count(), depth, list);
        CopyPassage.Ring ring = new CopyPassage.Ring(length, slots, places.step(), places.count(), deviceOffset);
        Pinned host = pinned(Direction.RECEIVED, stream, slots * places.step());
        return new StagedReceives.Buffers(
                slices(host, ring),
                new CopyQueue(gpu().toDevice(), memory.device(), host.memory().segment()),
                0,
                slots,
                ring);
    }

    /**
     * Returns the slots of a stream whose messages the peer writes to their offsets. Receives only report the messages.
     */
    StagedReceives.Buffers written(long deviceOffset, long length, Slots places, int depth) {
        CopyPassage.Ring ring = new CopyPassage.Ring(
                length,
                Math.ceilDiv(depth, places.count()) * places.count(),
                places.step(),
                places.count(),
                deviceOffset);
        MemorySlice[] slices = new MemorySlice[ring.slots()];
        for (int i = 0; i < slices.length; i++) {
            slices[i] = memory.slice(deviceOffset + i % places.count() * places.step(), length);
        }
        return new StagedReceives.Buffers(
                slices,
                new CopyQueue(gpu().toDevice(), memory.device(), memory.staged()),
                deviceOffset,
                places.count(),
                ring);
    }

    private CopyPassage.Ring ring(long deviceOffset, long size, Slots places, Depth depth) {
        int slots = slots(places.step(), places.count(), depth.messages(), depth.list());
        return new CopyPassage.Ring(size, slots, places.step(), places.count(), deviceOffset);
    }

    private static MemorySlice[] slices(Pinned host, CopyPassage.Ring ring) {
        MemorySlice[] slices = new MemorySlice[ring.slots()];
        for (int i = 0; i < slices.length; i++) {
            slices[i] = host.region().slice(i * ring.step(), ring.size());
        }
        return slices;
    }

    /** Returns the pinned memory of a stream, and replaces it if it is too small. */
    private Pinned pinned(Direction direction, int stream, long bytes) {
        Key key = new Key(direction, stream);
        Pinned before = pinned.get(key);
        if (before != null && before.memory().size() >= bytes) {
            return before;
        }
        HostMemory host = gpu().pin(bytes);
        Pinned now;
        try {
            now = new Pinned(host, domain.registerMemory(host.segment(), AccessFlag.LOCAL_WRITE));
        } catch (RuntimeException failure) {
            host.close();
            throw failure;
        }
        pinned.put(key, now);
        if (before != null) {
            outgrown.add(before);
        }
        return now;
    }

    private Gpu gpu() {
        return memory.gpu();
    }

    @Override
    public void close() {
        outgrown.addAll(pinned.values());
        pinned.clear();
        outgrown.forEach(each -> {
            each.region().close();
            each.memory().close();
        });
        outgrown.clear();
    }
}
