// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.options.ConnectionType;
import io.github.rdma4j.perftest.wire.SystemData;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.WorkCompletion;

/** Where the messages of the send tools lie in the buffer. */
final class SendStreams {
    private SendStreams() {}

    /** What a stream sends, one after the other. */
    static MemorySlice[] messages(TestResources resources, int stream, long size, SystemData layout) {
        return places(resources, resources.sendOffset(stream), size, Slots.of(size, layout));
    }

    /** What a stream receives into, one after the other: with the room for the header of a datagram. */
    static MemorySlice[] rooms(TestResources resources, int stream, long size, SystemData layout) {
        boolean datagrams = resources.shape().connection() == ConnectionType.UD;
        long length = size + (datagrams ? WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES : 0);
        return places(resources, resources.receiveOffset(stream), length, Slots.of(length, layout));
    }

    private static MemorySlice[] places(TestResources resources, long offset, long length, Slots slots) {
        MemorySlice[] places = new MemorySlice[slots.count()];
        for (int slot = 0; slot < places.length; slot++) {
            places[slot] = resources.slice(offset + slot * slots.step(), length);
        }
        return places;
    }

    /**
     * The receives of a run.
     *
     * @param depth receives posted at a time, over all streams where they share a queue
     * @param list how many are posted in one call
     */
    static Receives receives(TestResources resources, long size, SystemData layout, int depth, int list) {
        Receives.Stream[] streams = new Receives.Stream[resources.shape().streams()];
        for (int i = 0; i < streams.length; i++) {
            streams[i] = new Receives.Stream(resources.receivingQueuePair(i), rooms(resources, i, size, layout));
        }
        return receives(resources, streams, depth, list);
    }

    /** The receives of one stream, all of them into the same room: of two messages that follow each other one is gone. */
    static Receives receivesOf(TestResources resources, int stream, long size, SystemData layout, int depth) {
        MemorySlice room = rooms(resources, stream, size, layout)[0];
        Receives.Stream[] streams = {new Receives.Stream(resources.receivingQueuePair(stream), new MemorySlice[] {room})
        };
        return receives(resources, streams, depth, 1);
    }

    private static Receives receives(TestResources resources, Receives.Stream[] streams, int depth, int list) {
        boolean shared = resources.queues().sharedReceiveQueue() != null;
        int share = shared ? depth / resources.shape().queuePairs() : depth;
        return new Receives(streams, resources.queues().sharedReceiveQueue(), share, list);
    }
}
