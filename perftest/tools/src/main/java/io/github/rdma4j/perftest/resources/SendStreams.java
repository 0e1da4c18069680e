// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.perftest.options.ConnectionType;
import io.github.rdma4j.perftest.plan.Slots;
import io.github.rdma4j.perftest.stream.Receives;
import io.github.rdma4j.perftest.stream.RunQueuePair;
import io.github.rdma4j.perftest.stream.StagedReceives;
import io.github.rdma4j.perftest.wire.SystemData;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.WorkCompletion;

/** The positions of the send tools' messages in the buffer. */
public final class SendStreams {
    private SendStreams() {}

    /** Returns the slots that a stream receives into, one after the other: with space for the header of a datagram. */
    static MemorySlice[] buffers(RunResources resources, int stream, long size, SystemData layout) {
        long length = length(resources, size);
        // Writes of the peer go to other memory, so their receives may be shorter: EFA takes no longer ones.
        long capacity = resources.shape().connection() == ConnectionType.SRD
                ? Math.min(length, resources.longestMessage())
                : length;
        return places(resources, resources.receiveOffset(stream), capacity, Slots.of(length, layout));
    }

    /** Returns the length of a message and its header. */
    public static long length(RunResources resources, long size) {
        boolean datagrams = resources.shape().connection() == ConnectionType.UD;
        return size + (datagrams ? WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES : 0);
    }

    private static MemorySlice[] places(RunResources resources, long offset, long length, Slots slots) {
        MemorySlice[] places = new MemorySlice[slots.count()];
        for (int slot = 0; slot < places.length; slot++) {
            places[slot] = resources.slice(offset + slot * slots.step(), length);
        }
        return places;
    }

    /**
     * The receives of a run.
     *
     * @param depth receives posted at a time, over all streams if they share a queue
     * @param list how many are posted in one call
     */
    public static Receives receives(RunResources resources, long size, SystemData layout, int depth, int list) {
        if (resources.writesAreUnsolicited()) {
            return Receives.none();
        }
        if (resources.staging() != null) {
            return staged(resources, size, layout, depth, list);
        }
        Receives.Stream[] streams = new Receives.Stream[resources.shape().streams()];
        for (int i = 0; i < streams.length; i++) {
            streams[i] = new Receives.Stream(resources.receiver(i), buffers(resources, i, size, layout));
        }
        return receives(resources, streams, depth, list);
    }

    private static Receives staged(RunResources resources, long size, SystemData layout, int depth, int list) {
        int share = share(resources, depth);
        long length = length(resources, size);
        Slots places = Slots.of(length, layout);
        RunQueuePair[] queuePairs = new RunQueuePair[resources.shape().streams()];
        StagedReceives.Buffers[] buffers = new StagedReceives.Buffers[queuePairs.length];
        for (int i = 0; i < buffers.length; i++) {
            queuePairs[i] = resources.receiver(i);
            buffers[i] = resources.messagesAreWritten()
                    ? resources.staging().written(resources.receiveOffset(i), length, places, share)
                    : resources.staging().buffers(i, resources.receiveOffset(i), length, places, share, list);
        }
        return new StagedReceives(queuePairs, buffers, resources.queues().sharedReceiveQueue(), share, list);
    }

    /** Returns the receives of one stream, all of them into one slot: a message overwrites the previous one. */
    public static Receives receivesOf(RunResources resources, int stream, long size, SystemData layout, int depth) {
        if (resources.writesAreUnsolicited()) {
            return Receives.none();
        }
        MemorySlice buffer = buffers(resources, stream, size, layout)[0];
        Receives.Stream[] streams = {new Receives.Stream(resources.receiver(stream), new MemorySlice[] {buffer})};
        return receives(resources, streams, depth, 1);
    }

    private static Receives receives(RunResources resources, Receives.Stream[] streams, int depth, int list) {
        return new Receives(streams, resources.queues().sharedReceiveQueue(), share(resources, depth), list);
    }

    /** Returns how many of the receives of a queue belong to a stream. */
    static int share(RunResources resources, int depth) {
        boolean shared = resources.queues().sharedReceiveQueue() != null;
        return shared ? depth / resources.shape().queuePairs() : depth;
    }
}
