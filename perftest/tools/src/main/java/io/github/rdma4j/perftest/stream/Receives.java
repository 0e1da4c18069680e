// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.stream;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedReceive;
import io.github.rdma4j.verbs.ReceiveBatch;
import io.github.rdma4j.verbs.SharedReceiveQueue;
import io.github.rdma4j.verbs.VerbsException;

/**
 * The receives of a run. Some are posted before the run, and others replace the receives that messages have consumed,
 * until there is exactly one for each expected message. There are no more, because the next run may need longer ones.
 *
 * <p>Posting does not allocate, and does not throw if the adapter refuses: {@link #failure()} returns why.
 */
public class Receives {
    /** The memory into which one stream receives: small messages use its slots in turn. */
    public static final class Stream {
        final RunQueuePair queuePair;
        private final MemorySlice[] buffers;
        /** One receive for each slot; null if receives are posted in lists. */
        private PreparedReceive[] receives;

        private int slot;
        private long left;
        private int taken;

        /**
         * @param queuePair that receives
         * @param buffers the slots, in order
         */
        public Stream(RunQueuePair queuePair, MemorySlice[] buffers) {
            this.queuePair = queuePair;
            this.buffers = buffers;
        }

        private void prepare(int id, SharedReceiveQueue shared) {
            receives = new PreparedReceive[buffers.length];
            for (int i = 0; i < receives.length; i++) {
                receives[i] = (shared == null
                                ? queuePair.prepareReceive(buffers[i])
                                : shared.prepareReceive(buffers[i]))
                        .workRequestId(id);
            }
        }
    }

    private final Stream[] streams;
    private final SharedReceiveQueue shared;
    private final int depth;
    private final int list;
    private String failure;

    /**
     * @param streams the index of one is the id of its receives
     * @param shared the queue for the receives; null for each queue pair's own queue
     * @param depth receives posted per stream at a time
     * @param list how many are posted in one call, at most the depth
     */
    public Receives(Stream[] streams, SharedReceiveQueue shared, int depth, int list) {
        this.streams = streams;
        this.shared = shared;
        this.depth = depth;
        this.list = list;
        for (int i = 0; i < streams.length && list == 1; i++) {
            streams[i].prepare(i, shared);
        }
    }

    /**
     * Posts the first receives of a run.
     *
     * @param count the messages that each stream receives, a multiple of the list's length; {@link Long#MAX_VALUE} for
     *     a timed run
     * @return whether they were posted
     */
    public boolean begin(long count) {
        for (int i = 0; i < streams.length; i++) {
            Stream stream = streams[i];
            stream.left = count;
            stream.taken = 0;
            for (int posted = 0; posted + list <= depth && stream.left >= list; posted += list) {
                if (!post(i, stream)) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Called when a message has arrived.
     *
     * @param id of the receive that it took
     * @return whether no receive was due, or it was posted
     */
    public boolean replace(int id) {
        Stream stream = streams[id];
        if (++stream.taken < list || stream.left < list) {
            return true;
        }
        stream.taken -= list;
        return post(id, stream);
    }

    /** Returns the receives of messages that need none. */
    public static Receives none() {
        return new Receives(new Stream[0], null, 0, 1) {
            @Override
            public boolean replace(int id) {
                return true;
            }
        };
    }

    private boolean post(int id, Stream stream) {
        stream.left -= list;
        try {
            if (list == 1 ? stream.receives[next(stream)].tryPost() : postList(id, stream)) {
                return true;
            }
            failure = Failures.queueFull(stream.queuePair.number());
        } catch (VerbsException e) {
            failure = e.getMessage();
        }
        return false;
    }

    private boolean postList(int id, Stream stream) {
        ReceiveBatch batch = shared == null ? stream.queuePair.startReceiveBatch() : shared.startReceiveBatch();
        int most = batch.capacity();
        for (int i = 0; i < list; i++) {
            if (batch.size() == most && !batch.tryPost()) {
                return false;
            }
            batch.receive(id, stream.buffers[next(stream)]);
        }
        return batch.tryPost();
    }

    private static int next(Stream stream) {
        int slot = stream.slot;
        stream.slot = slot + 1 == stream.buffers.length ? 0 : slot + 1;
        return slot;
    }

    /**
     * Continues the copies of received messages, if there are any. Called repeatedly in a run.
     *
     * @return whether copies have completed since the last call
     */
    public boolean copied() {
        return false;
    }

    /** Returns whether received messages are still being copied to their destination. */
    public boolean copying() {
        return false;
    }

    /** Returns why receives could not be posted, also in {@link #copied()}; null without a failure. */
    public String failure() {
        return failure;
    }
}
