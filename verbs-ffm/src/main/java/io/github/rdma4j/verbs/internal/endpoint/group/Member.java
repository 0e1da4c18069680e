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
 * What an endpoint has of the queues of its group: a queue pair, a place in a {@link QueueShare}, what has come for it,
 * and the receive buffers that are with it. Its buffers have numbers of its own, since any of the share can come.
 *
 * <p>It never has more buffers than its credits are for, and the reserve. A peer that sends more than that takes none
 * from others: what is too much goes back at once, and the connection is lost.
 */
public final class Member implements ReceiveBufferTable {
    /**
     * In the id of each request for sending is a number that no other member has: a number of a queue pair comes again.
     */
    private static final int TAG_SHIFT = 35;

    private static final long TAG = -1L << TAG_SHIFT;
    /** A queue pair that fails says so of what it was about to do, also for a receive. */
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

    // Of whoever polls, which one thread does at a time.
    private long arrived;
    /** Buffers that have gone back, of those that arrived; written by the endpoint alone. */
    private volatile long returned;

    private volatile boolean overrun;
    private volatile String lost;
    /** What has interrupted a change of the books of its queues; null for nothing. */
    private volatile Error interrupted;

    private volatile boolean linkNews;
    /** Whether one of the four above has been set; rare, so that one field is asked for them all. */
    private volatile boolean alarmed;
    /** Of a selector; null if there is none. */
    private volatile Runnable watcher;
    /** With the endpoint's lock held: whether {@link SharedQueues} counts it among those who wait for ends. */
    private boolean awaitsEnds;

    // The endpoint's.
    /** The share's number of each buffer that has come and not gone back; {@link #NOT_HERE} for the others. */
    private final int[] shared;

    private final int[] free;
    private int freeCount;
    /** The buffer of the oldest arrival is already among those above: do not take it from the arrivals again. */
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

    /** Whether something was put down that the endpoint has not taken. */
    boolean hasNews() {
        return !arrivals.isEmpty()
                || alarmed && (overrun && !overrunTold || interrupted != null && !interruptedTold || linkNews);
    }

    // ---- Whoever polls ----

    /**
     * Takes a completion of its queue pair; false if it is not one of this member's, or its buffer is to go back.
     *
     * @param id of its request, which was read already
     * @param failure of {@link #failure}; null if it succeeded
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

    /** The buffer of a failed receive goes back at once. */
    private boolean fail(long id, Arrivals.Failure failure) {
        boolean receive = (id & Protocol.RECEIVE) != 0;
        if (!receive && (id & TAG) != tag) {
            return false;
        }
        boolean added = add(Arrivals.FAILED, receive ? Protocol.RECEIVE : id & ~TAG, 0, 0, failure);
        return added && !receive;
    }

    /** What is left of a failed completion when its memory takes the next ones. */
    static Arrivals.Failure failure(WorkCompletion completion) {
        WorkCompletionStatus status = completion.status();
        String description = status == WorkCompletionStatus.WR_FLUSH_ERR ? FLUSHED : completion.describe();
        return new Arrivals.Failure(status, completion.vendorError(), description);
    }

    private boolean add(byte kind, long id, int immediate, long length, Arrivals.Failure failure) {
        if (arrivals.add(kind, id, immediate, length, failure)) {
            return true;
        }
        // Only a peer, or an adapter, that does what it must not can fill it.
        overrun();
        return false;
    }

    private void overrun() {
        overrun = true;
        alarmed = true;
    }

    /** Something has come, and was put down. */
    void tell(Sleepers sleepers) {
        sleepers.tell(sleeper);
        Runnable hearer = watcher;
        if (hearer != null) {
            hearer.run();
        }
    }

    /** The connection manager says that the connection has ended. */
    void lost(String reason) {
        if (lost == null) {
            lost = reason;
            linkNews = true;
            alarmed = true;
        }
    }

    /**
     * An error has interrupted a change of the books of its queues, so the connection is lost by it.
     *
     * @return whether the member did not know yet
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

    /** Null as long as the connection manager has not said that the connection has ended. */
    public String lost() {
        return lost;
    }

    /** Whether the connection manager has said something that was not asked for yet. */
    boolean takeLinkNews() {
        if (!linkNews) {
            // A write would erase an event that comes at this moment.
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
     * Gives what has come to the protocol; how much there was. What the protocol throws at remains for the next call.
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
            // No call, in which an error could lead to a second return of the buffer.
            shared[buffer] = NOT_HERE;
            free[freeCount++] = buffer;
            returned = returned + 1;
        }
    }

    /** The share gathers them. */
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

    /** Whether the peer has sent its close message, and so is in the middle of no message. */
    boolean isPeerClosed() {
        return peerClosed;
    }

    boolean hasLeft() {
        return left;
    }

    /** It has given up its place. */
    void leave() {
        left = true;
    }

    /** Gives back all buffers that are with it, when the program has none any more and nothing comes. */
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
