// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.stream;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedReceive;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.ReceiveBatch;
import io.github.rdma4j.verbs.SharedReceiveQueue;

/**
 * The receives of a run. Some are posted before the run, and others replace those that messages have used, until there
 * is exactly one for each expected message. There are no more, because the next run may need longer ones.
 *
 * <p>Posting does not allocate or throw: it returns an errno.
 */
public class Receives {
    /** The memory that one stream receives into: small messages use its slots in turn. */
    public static final class Stream {
        final QueuePair queuePair;
        private final MemorySlice[] rooms;
        /** One for each room; null where receives are posted in lists. */
        private PreparedReceive[] receives;

        private int slot;
        private long left;
        private int taken;

        /**
         * @param queuePair that receives
         * @param rooms one after the other
         */
        public Stream(QueuePair queuePair, MemorySlice[] rooms) {
            this.queuePair = queuePair;
            this.rooms = rooms;
        }

        private void prepare(int id, SharedReceiveQueue shared) {
            receives = new PreparedReceive[rooms.length];
            for (int i = 0; i < receives.length; i++) {
                receives[i] = (shared == null ? queuePair.prepareReceive(rooms[i]) : shared.prepareReceive(rooms[i]))
                        .workRequestId(id);
            }
        }
    }

    private final Stream[] streams;
    private final SharedReceiveQueue shared;
    private final int depth;
    private final int list;
    private QueuePair failed;

    /**
     * @param streams the index of one is the id of its receives
     * @param shared where they are posted; null for each queue pair's own queue
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
     * Posts the receives with which a run begins.
     *
     * @param count messages that will come to each stream, a multiple of the list's length; {@link Long#MAX_VALUE} for
     *     a timed run
     * @return 0 or an errno
     */
    public int begin(long count) {
        for (int i = 0; i < streams.length; i++) {
            Stream stream = streams[i];
            stream.left = count;
            stream.taken = 0;
            for (int posted = 0; posted + list <= depth && stream.left >= list; posted += list) {
                int errno = post(i, stream);
                if (errno != 0) {
                    return errno;
                }
            }
        }
        return 0;
    }

    /**
     * A message has come.
     *
     * @param id of the receive that it took
     * @return 0 or an errno
     */
    public int replace(int id) {
        Stream stream = streams[id];
        if (++stream.taken < list || stream.left < list) {
            return 0;
        }
        stream.taken -= list;
        return post(id, stream);
    }

    private int post(int id, Stream stream) {
        int errno = list == 1 ? stream.receives[next(stream)].post() : postList(id, stream);
        stream.left -= list;
        if (errno != 0) {
            failed = stream.queuePair;
        }
        return errno;
    }

    private int postList(int id, Stream stream) {
        ReceiveBatch batch = shared == null ? stream.queuePair.startReceiveBatch() : shared.startReceiveBatch();
        int most = batch.capacity();
        for (int i = 0; i < list; i++) {
            if (batch.size() == most) {
                batch.post();
                if (batch.error() != 0) {
                    return batch.error();
                }
            }
            batch.receive(id, stream.rooms[next(stream)]);
        }
        batch.post();
        return batch.error();
    }

    private static int next(Stream stream) {
        int slot = stream.slot;
        stream.slot = slot + 1 == stream.rooms.length ? 0 : slot + 1;
        return slot;
    }

    /**
     * Goes on with what copies of messages that came have to do, where there are copies; asked again and again in a
     * run.
     *
     * @return whether messages have reached their place since it was asked last
     */
    public boolean copied() {
        return false;
    }

    /** Returns whether messages that came are on their way to where they belong. */
    public boolean copying() {
        return false;
    }

    /** Returns the errno of posting receives in {@link #copied()}; 0 without a failure. */
    public int errno() {
        return 0;
    }

    /** The queue pair for which posting failed. */
    public QueuePair failed() {
        return failed;
    }
}
