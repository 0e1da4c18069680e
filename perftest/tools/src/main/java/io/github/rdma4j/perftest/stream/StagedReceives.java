// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.stream;

import io.github.rdma4j.perftest.gpu.CopyQueue;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ReceiveBatch;
import io.github.rdma4j.verbs.SharedReceiveQueue;
import io.github.rdma4j.verbs.VerbsException;

/**
 * Receives into pinned host memory, from which messages are copied to a GPU. A slot is reused after its message has
 * been copied. The id of a receive contains its stream and its slot, because the receives of a shared queue may
 * complete in another order.
 */
public final class StagedReceives extends Receives {
    /**
     * The memory that one stream receives into.
     *
     * @param slices the slots
     * @param copies copies messages to the device
     * @param hostOffset the offset of the first message in the memory of the copies
     * @param hostPlaces the number of positions, one after the other
     * @param ring the sizes, and the positions on the device
     */
    public record Buffers(
            MemorySlice[] slices, CopyQueue copies, long hostOffset, int hostPlaces, CopyPassage.Ring ring) {}

    private static final class Stream {
        private final RunQueuePair queuePair;
        private final Buffers buffers;
        /** The slots in which messages arrived, by the number of the message, cyclically. */
        private final int[] order;

        private long left;
        private long posted;
        private long arrived;
        private long done;

        private Stream(RunQueuePair queuePair, Buffers buffers) {
            this.queuePair = queuePair;
            this.buffers = buffers;
            this.order = new int[buffers.slices().length];
        }

        private int nextBuffer() {
            return posted < order.length ? (int) posted : order[(int) (posted % order.length)];
        }
    }

    private final Stream[] streams;
    private final SharedReceiveQueue shared;
    private final int depth;
    private final int list;
    private String failure;

    /**
     * @param queuePairs the receiving queue pairs, one per stream
     * @param buffers the memory into which they receive
     * @param shared the shared receive queue; null if each queue pair has its own
     * @param depth receives posted per stream at a time
     * @param list how many are posted in one call, at most the depth
     */
    public StagedReceives(
            RunQueuePair[] queuePairs, Buffers[] buffers, SharedReceiveQueue shared, int depth, int list) {
        super(new Receives.Stream[0], shared, depth, list);
        this.shared = shared;
        this.depth = depth;
        this.list = list;
        this.streams = new Stream[buffers.length];
        for (int i = 0; i < buffers.length; i++) {
            streams[i] = new Stream(queuePairs[i], buffers[i]);
        }
    }

    @Override
    public boolean begin(long count) {
        failure = null;
        for (int i = 0; i < streams.length; i++) {
            Stream stream = streams[i];
            stream.left = count;
            stream.posted = 0;
            stream.arrived = 0;
            stream.done = 0;
            stream.buffers.copies().reset();
            post(i, stream);
        }
        return failure == null;
    }

    @Override
    public boolean replace(int id) {
        Stream stream = streams[id % streams.length];
        stream.order[(int) (stream.arrived++ % stream.order.length)] = id / streams.length;
        copy(stream);
        return true;
    }

    @Override
    public boolean copied() {
        boolean any = false;
        for (int i = 0; i < streams.length; i++) {
            Stream stream = streams[i];
            if (stream.done == stream.arrived) {
                continue;
            }
            copy(stream);
            long done = stream.buffers.copies().done();
            if (done != stream.done) {
                stream.done = done;
                any = true;
                post(i, stream);
            }
        }
        return any;
    }

    @Override
    public boolean copying() {
        for (Stream stream : streams) {
            if (stream.done != stream.arrived) {
                return true;
            }
        }
        return false;
    }

    private static void copy(Stream stream) {
        Buffers buffers = stream.buffers;
        CopyPassage.Ring ring = buffers.ring();
        CopyQueue copies = buffers.copies();
        while (copies.queued() < stream.arrived && !copies.full()) {
            int buffer = stream.order[(int) (copies.queued() % stream.order.length)];
            copies.copyToDevice(
                    ring.deviceOffset() + buffer % ring.places() * ring.step(),
                    buffers.hostOffset() + buffer % buffers.hostPlaces() * ring.step(),
                    ring.size());
        }
        copies.mark();
    }

    /** Posts the expected receives for which there are slots. */
    private void post(int index, Stream stream) {
        while (failure == null
                && stream.left >= list
                && stream.posted + list - stream.arrived <= depth
                && stream.posted + list - stream.done <= stream.order.length) {
            try {
                boolean posted = list == 1 ? postOne(index, stream) : postList(index, stream);
                failure = posted ? null : Failures.queueFull(stream.queuePair.number());
            } catch (VerbsException e) {
                failure = e.getMessage();
            }
            stream.left -= list;
        }
    }

    private boolean postOne(int index, Stream stream) {
        int buffer = stream.nextBuffer();
        int id = buffer * streams.length + index;
        stream.posted++;
        MemorySlice slice = stream.buffers.slices()[buffer];
        return shared == null ? stream.queuePair.tryPostReceive(id, slice) : shared.tryPostReceive(id, slice);
    }

    private boolean postList(int index, Stream stream) {
        ReceiveBatch batch = shared == null ? stream.queuePair.startReceiveBatch() : shared.startReceiveBatch();
        int most = batch.capacity();
        for (int i = 0; i < list; i++) {
            if (batch.size() == most && !batch.tryPost()) {
                return false;
            }
            int buffer = stream.nextBuffer();
            stream.posted++;
            batch.receive(buffer * streams.length + index, stream.buffers.slices()[buffer]);
        }
        return batch.tryPost();
    }

    @Override
    public String failure() {
        return failure;
    }
}
