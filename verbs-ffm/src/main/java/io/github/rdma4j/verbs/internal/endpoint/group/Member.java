// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletionOpcode;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.internal.endpoint.engine.ReceiveBufferTable;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import io.github.rdma4j.verbs.internal.endpoint.rdma.VerbsWire;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * An endpoint's part of the queues of its group: a queue pair, a place in a {@link QueueShare}, its arrivals, and the
 * receive buffers that it holds. It numbers its buffers itself, because any buffer of the share can arrive.
 *
 * <p>It never holds more buffers than its credits and the reserve allow. A peer that sends more takes no buffers from
 * other endpoints: the excess is returned at once, and the connection is lost.
 */
public final class Member implements ReceiveBufferTable {
    /**
     * The id of each send request contains a number that no other member has. The number of a queue pair would not do,
     * because the adapter uses it again.
     */
    private static final int TAG_SHIFT = 35;

    private static final long TAG = -1L << TAG_SHIFT;
    /** A failing queue pair can also report the receives that it was about to use. */
    private static final int FAILED_RECEIVES = 8;

    private static final int NOT_HERE = -1;

    private static final String FLUSHED =
            "the queue pair was in the error state, and completed what was posted without doing it (WR_FLUSH_ERR)";

    private final QueueShare share;
    private final int place;
    private final long tag;
    private final int quota;
    private final Arrivals arrivals;
    private final Sleepers.Sleeper sleeper;
    private QueuePair queuePair;

    // Used by the thread that polls, one at a time.
    private long arrived;
    /** How many arrived buffers were returned; written by the endpoint alone. */
    private volatile long returned;

    private volatile boolean overrun;
    private volatile String lost;
    /** The error that interrupted a change of the share's books; null if there was none. */
    private volatile Error interrupted;

    private volatile boolean linkNews;
    /** Whether one of the four above has been set. That is rare, so one check covers them all. */
    private volatile boolean alarmed;
    /** Notifies a selector; null if there is none. */
    private volatile Runnable watcher;
    /** Whether {@link SharedQueues} counts it as waiting for completions of sends. With the endpoint's lock held. */
    private boolean awaitsEnds;

    // Used with the endpoint's lock held.
    /** The share's number of each buffer that the endpoint holds; {@link #NOT_HERE} for the others. */
    private final int[] shared;

    private final int[] free;
    private int freeCount;
    /** Whether the buffer of the oldest arrival is already in the array above. */
    private boolean taken;

    private boolean peerClosed;
    private boolean overrunTold;
    private boolean interruptedTold;
    private boolean left;

    Member(QueueShare share, int place, long number, int quota, int sendDepth) {
        this.share = share;
        this.place = place;
        this.tag = number << TAG_SHIFT;
        this.quota = quota;
        this.arrivals = new Arrivals(quota + sendDepth + FAILED_RECEIVES);
        this.sleeper = new Sleepers.Sleeper(this::hasNews);
        this.shared = new int[quota];
        Arrays.fill(shared, NOT_HERE);
        this.free = new int[quota];
        while (freeCount < quota) {
            free[freeCount] = quota - 1 - freeCount;
            freeCount++;
        }
    }

    public QueueShare share() {
        return share;
    }

    int place() {
        return place;
    }

    long tag() {
        return tag;
    }

    Sleepers.Sleeper sleeper() {
        return sleeper;
    }

    public QueuePair queuePair() {
        return queuePair;
    }

    void queuePair(QueuePair created) {
        queuePair = created;
    }

    /** Whether there is something that the endpoint has not taken in. */
    boolean hasNews() {
        return !arrivals.isEmpty()
                || alarmed && (overrun && !overrunTold || interrupted != null && !interruptedTold || linkNews);
    }

    // ---- The thread that polls ----

    /**
     * Queues a completion of its queue pair. Returns false if the request is not of this member, or the caller must
     * return the buffer.
     *
     * @param id of the request, which the caller has read
     * @param failure the result of {@link #failure}; null if the request succeeded
     */
    boolean arrive(WorkCompletion completion, long id, Arrivals.Failure failure) {
        if (failure != null) {
            return fail(id, failure);
        }
        if ((id & Protocol.RECEIVE) != 0) {
            return arriveIn(id, completion);
        }
        return (id & TAG) == tag && add(Arrivals.SENT, id & ~TAG, 0, 0, null);
    }

    private boolean arriveIn(long id, WorkCompletion completion) {
        byte kind = Arrivals.NO_MESSAGE;
        if (completion.opcode() == WorkCompletionOpcode.RECEIVE) {
            kind = completion.hasImmediateData() ? Arrivals.MESSAGE_WITH_IMMEDIATE : Arrivals.MESSAGE;
        }
        if (arrived - returned >= quota) {
            overrun();
            return false;
        }
        if (!add(kind, id, completion.immediateData(), completion.byteLength(), null)) {
            return false;
        }
        arrived++;
        return true;
    }

    /** Queues a failure. The buffer of a failed receive is returned at once. */
    private boolean fail(long id, Arrivals.Failure failure) {
        boolean receive = (id & Protocol.RECEIVE) != 0;
        if (!receive && (id & TAG) != tag) {
            return false;
        }
        boolean added = add(Arrivals.FAILED, receive ? Protocol.RECEIVE : id & ~TAG, 0, 0, failure);
        return added && !receive;
    }

    /** Copies a failed completion, whose memory the next completions overwrite. */
    static Arrivals.Failure failure(WorkCompletion completion) {
        WorkCompletionStatus status = completion.status();
        String description = status == WorkCompletionStatus.WR_FLUSH_ERR ? FLUSHED : completion.describe();
        return new Arrivals.Failure(status, completion.vendorError(), description);
    }

    private boolean add(byte kind, long id, int immediate, long length, Arrivals.Failure failure) {
        if (arrivals.add(kind, id, immediate, length, failure)) {
            return true;
        }
        // Only a peer or an adapter that breaks the protocol can fill it.
        overrun();
        return false;
    }

    private void overrun() {
        overrun = true;
        alarmed = true;
    }

    /** Wakes the thread that waits for this endpoint; its arrival was queued before. */
    void tell(Sleepers sleepers) {
        sleepers.tell(sleeper);
        Runnable hearer = watcher;
        if (hearer != null) {
            hearer.run();
        }
    }

    /** Records that the connection manager has reported the end of the connection. */
    void lost(String reason) {
        if (lost == null) {
            lost = reason;
            linkNews = true;
            alarmed = true;
        }
    }

    /**
     * Records an error that has interrupted a change of the share's books; it loses the connection.
     *
     * @return whether it is the first one
     */
    boolean interrupted(Error error) {
        boolean first = interrupted == null;
        if (first) {
            interrupted = error;
            alarmed = true;
        }
        return first;
    }

    // ---- The endpoint ----

    /** {@return why the connection has ended; null until the connection manager reports an end} */
    public String lost() {
        return lost;
    }

    /** Returns whether the connection manager has reported something since the last call. */
    boolean takeLinkNews() {
        if (!linkNews) {
            // Writing false would erase an event that arrives at this moment.
            return false;
        }
        linkNews = false;
        return true;
    }

    void watcher(Runnable newWatcher) {
        watcher = newWatcher;
    }

    void awaitsEnds(boolean ends) {
        awaitsEnds = ends;
    }

    boolean awaitsEnds() {
        return awaitsEnds;
    }

    /**
     * Passes the arrivals to the protocol. Returns how many there were. An arrival for which the protocol throws stays
     * for the next call.
     */
    int takeIn(WireEvents protocol, VerbsWire wire) {
        int count = 0;
        while (!arrivals.isEmpty()) {
            byte kind = arrivals.kind();
            give(kind, protocol, wire);
            arrivals.remove(kind);
            taken = false;
            count++;
        }
        return alarmed ? count + takeAlarms(protocol) : count;
    }

    private int takeAlarms(WireEvents protocol) {
        int count = 0;
        if (overrun && !overrunTold) {
            protocol.overrun();
            overrunTold = true;
            count++;
        }
        if (interrupted != null && !interruptedTold) {
            protocol.interrupted(interrupted);
            interruptedTold = true;
            count++;
        }
        return count;
    }

    private void give(byte kind, WireEvents protocol, VerbsWire wire) {
        switch (kind) {
            case Arrivals.SENT -> wire.giveSent(protocol, arrivals.id());
            case Arrivals.FAILED -> {
                Arrivals.Failure failure = arrivals.failure();
                wire.giveFailed(
                        protocol, arrivals.id(), failure.status(), failure.vendorError(), failure.description());
            }
            default -> giveMessage(kind, protocol, wire);
        }
    }

    private void giveMessage(byte kind, WireEvents protocol, VerbsWire wire) {
        int buffer = free[--freeCount];
        shared[buffer] = (int) arrivals.id();
        taken = true;
        boolean given = false;
        try {
            wire.giveReceived(
                    protocol,
                    buffer,
                    kind != Arrivals.NO_MESSAGE,
                    kind == Arrivals.MESSAGE_WITH_IMMEDIATE,
                    arrivals.immediate(),
                    arrivals.length());
            given = true;
        } finally {
            if (!given && shared[buffer] != NOT_HERE) {
                shared[buffer] = NOT_HERE;
                taken = false;
                free[freeCount++] = buffer;
            }
        }
        peerClosed = protocol.state() == Protocol.State.PEER_CLOSED;
    }

    @Override
    public int post(int buffer) {
        try {
            return share.giveBack(shared[buffer]);
        } finally {
            // No call here: an error in it could return the buffer twice.
            shared[buffer] = NOT_HERE;
            free[freeCount++] = buffer;
            returned = returned + 1;
        }
    }

    /** Returns the buffer to the share, which gathers buffers for one call. */
    @Override
    public int giveBack(int buffer) {
        return post(buffer);
    }

    @Override
    public int postReturned() {
        return 0;
    }

    @Override
    public Message message(int buffer, long length) {
        return ACCESS.open(share.message(shared[buffer]), length);
    }

    @Override
    public ByteBuffer arrived(int buffer) {
        return ACCESS.whole(share.message(shared[buffer]));
    }

    @Override
    public int frame(int buffer, long length) {
        MemorySlice room = share.room(shared[buffer]);
        return Frame.read(room.region().segment(), room.offset() + length);
    }

    @Override
    public byte[] copy(int buffer, long length) {
        return share.copy(shared[buffer], length);
    }

    // ---- The end ----

    /** Whether the peer has sent its close message, and so cannot be in the middle of a message. */
    boolean isPeerClosed() {
        return peerClosed;
    }

    boolean hasLeft() {
        return left;
    }

    /** Gives up its place. */
    void leave() {
        left = true;
    }

    /** Returns all buffers that it holds, when the program holds none and nothing arrives any more. */
    void giveBack() {
        if (taken) {
            arrivals.remove(arrivals.kind());
            taken = false;
        }
        while (!arrivals.isEmpty()) {
            byte kind = arrivals.kind();
            if (kind != Arrivals.SENT && kind != Arrivals.FAILED) {
                share.giveBack((int) arrivals.id());
            }
            arrivals.remove(kind);
        }
        for (int buffer = 0; buffer < quota; buffer++) {
            int number = shared[buffer];
            if (number != NOT_HERE) {
                shared[buffer] = NOT_HERE;
                share.giveBack(number);
            }
        }
    }
}
