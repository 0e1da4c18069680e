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
import io.github.rdma4j.verbs.internal.endpoint.engine.ArrivalSink;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointExceptions;
import io.github.rdma4j.verbs.internal.endpoint.engine.ReceiveBufferTable;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

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
    /** How many requests of this member are in a send queue that it shares; see {@link #mayPost}. */
    private final AtomicInteger underWay = new AtomicInteger();
    /** The peer's queue pair, if its datagrams come to a queue pair that all members share. */
    private volatile int peerNumber = -1;
    /** Takes an event of the link; returns false if there was none. Null if the connection manager has the events. */
    private volatile BooleanSupplier linkEvent;

    private volatile boolean linkEventCame;
    /** Whether the endpoint has taken arrivals from here that it has not passed on. */
    private volatile boolean unfinished;

    // Used by the thread that polls, one at a time.
    private long arrived;
    /** How many arrived buffers were returned; written by the endpoint alone. */
    private volatile long returned;

    private volatile boolean overrun;
    private volatile String lost;
    /** The error that interrupted a change of the share's books; null if there was none. */
    private volatile Error interrupted;

    private volatile boolean linkReported;
    /** Whether one of the four above has been set. That is rare, so one check covers them all. */
    private volatile boolean alarmed;
    /** Notifies a selector; null if there is none. */
    private volatile Runnable watcher;
    /**
     * Whether {@link SharedQueues} counts it as waiting for completions of sends. Set with the endpoint's lock held,
     * before the endpoint takes in what has arrived; read by the thread that polls, after it has queued a completion.
     */
    private volatile boolean awaitsEnds;

    // Used with the endpoint's lock held.
    /** The share's number of each buffer that the endpoint holds; {@link #NOT_HERE} for the others. */
    private final int[] shared;

    private final int[] free;
    private int freeCount;
    /** Whether the buffer of the oldest arrival is already in the array above. */
    private boolean taken;

    private boolean peerClosed;
    private boolean overrunReported;
    private boolean interruptedReported;
    private boolean left;

    Member(QueueShare share, int place, long number, int quota, int sendDepth) {
        this.share = share;
        this.place = place;
        this.tag = number << TAG_SHIFT;
        this.quota = quota;
        this.arrivals = new Arrivals(quota + sendDepth + FAILED_RECEIVES);
        this.sleeper = new Sleepers.Sleeper(this::hasArrivals);
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

    public long tag() {
        return tag;
    }

    /** {@return the number in the tag, which a datagram to this member carries} */
    public int number() {
        return (int) (tag >>> TAG_SHIFT);
    }

    /** {@return the number of the member that has made a request} */
    static int numberOf(long id) {
        return (int) (id >>> TAG_SHIFT);
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
    public boolean hasArrivals() {
        return !arrivals.isEmpty()
                || unfinished
                || alarmed
                        && (overrun && !overrunReported || interrupted != null && !interruptedReported || linkReported);
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

    /** Queues a datagram that has come to the shared queue pair. As {@link #arrive}. */
    boolean arriveIn(long id, WorkCompletion completion) {
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
    static Arrivals.Failure failure(WorkCompletion completion, boolean datagrams) {
        WorkCompletionStatus status = completion.status();
        String description = status == WorkCompletionStatus.WR_FLUSH_ERR
                ? FLUSHED
                : datagrams ? EndpointExceptions.describeSrd(completion) : completion.describe();
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
    void notifyArrival(Sleepers sleepers) {
        sleepers.notifyArrival(sleeper);
        Runnable notified = watcher;
        if (notified != null) {
            notified.run();
        }
    }

    /** Records that the connection manager has reported the end of the connection. */
    void lost(String reason) {
        if (lost == null) {
            lost = reason;
            linkReported = true;
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

    // ---- A send queue that all members share ----

    /**
     * Takes an entry of the shared send queue. Each member always gets some, and more while there are any.
     *
     * @return false if there is none; the member has others under way then
     */
    public boolean mayPost() {
        while (true) {
            int before = underWay.get();
            boolean fromAll = before >= share.entriesOfEach();
            if (fromAll && !share.takeEntry()) {
                return false;
            }
            if (underWay.compareAndSet(before, before + 1)) {
                return true;
            }
            if (fromAll) {
                share.giveEntry();
            }
        }
    }

    /** Gives an entry back, after a completion or a refusal. */
    public void entryIsFree() {
        if (underWay.getAndDecrement() > share.entriesOfEach()) {
            share.giveEntry();
        }
    }

    boolean hasUnderWay() {
        return underWay.get() > 0;
    }

    public void peerNumber(int number) {
        peerNumber = number;
    }

    boolean isPeer(int number) {
        return peerNumber == number;
    }

    // ---- Events of a link that the connection manager does not know ----

    void link(BooleanSupplier takesEvent) {
        linkEvent = takesEvent;
    }

    /** In the thread that waits for all links. */
    void linkIsReady(Sleepers sleepers) {
        BooleanSupplier event = linkEvent;
        if (event != null && event.getAsBoolean()) {
            linkEventCame = true;
            linkReported = true;
            alarmed = true;
            notifyArrival(sleepers);
        }
    }

    /** {@return whether the link had an event since the last call} */
    public boolean takeLinkEvent() {
        if (!linkEventCame) {
            return false;
        }
        linkEventCame = false;
        return true;
    }

    // ---- The endpoint ----

    /** Records whether the endpoint has taken arrivals that it has not passed on. */
    public void unfinished(boolean isSo) {
        unfinished = isSo;
    }

    /** {@return why the connection has ended; null until the connection manager reports an end} */
    public String lost() {
        return lost;
    }

    /** Returns whether the connection manager has reported something since the last call. */
    boolean takeLinkReport() {
        if (!linkReported) {
            // Writing false would erase an event that arrives at this moment.
            return false;
        }
        linkReported = false;
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
    int takeIn(WireEvents protocol, ArrivalSink wire) {
        return takeArrivals(protocol, wire) + takeAlarms(protocol);
    }

    /**
     * Passes the arrivals to the wire, without {@link #takeAlarms}.
     *
     * @param protocol for the wire; null if it does not pass them on at once
     */
    public int takeArrivals(WireEvents protocol, ArrivalSink wire) {
        int count = 0;
        while (!arrivals.isEmpty()) {
            long arrival = arrivals.oldest();
            give(arrival, protocol, wire);
            arrivals.remove(Arrivals.kind(arrival));
            taken = false;
            count++;
        }
        return count;
    }

    /** Reports that the member has lost its part of the queues. Returns how many events there were. */
    public int takeAlarms(WireEvents protocol) {
        if (!alarmed) {
            return 0;
        }
        int count = 0;
        if (overrun && !overrunReported) {
            protocol.overrun();
            overrunReported = true;
            count++;
        }
        if (interrupted != null && !interruptedReported) {
            protocol.interrupted(interrupted);
            interruptedReported = true;
            count++;
        }
        return count;
    }

    private void give(long arrival, WireEvents protocol, ArrivalSink wire) {
        byte kind = Arrivals.kind(arrival);
        long id = Arrivals.id(arrival);
        switch (kind) {
            case Arrivals.SENT -> wire.giveSent(protocol, id);
            case Arrivals.FAILED -> {
                Arrivals.Failure failure = arrivals.failure();
                wire.giveFailed(protocol, id, failure.status(), failure.vendorError(), failure.description());
            }
            default -> giveMessage(kind, (int) id, arrivals.value(), protocol, wire);
        }
    }

    private void giveMessage(byte kind, int number, long value, WireEvents protocol, ArrivalSink wire) {
        int buffer = free[--freeCount];
        shared[buffer] = number;
        taken = true;
        boolean given = false;
        try {
            wire.giveReceived(
                    protocol,
                    buffer,
                    kind != Arrivals.NO_MESSAGE,
                    kind == Arrivals.MESSAGE_WITH_IMMEDIATE,
                    Arrivals.immediate(value),
                    Arrivals.length(value));
            given = true;
        } finally {
            if (!given && shared[buffer] != NOT_HERE) {
                shared[buffer] = NOT_HERE;
                taken = false;
                free[freeCount++] = buffer;
            }
        }
        peerClosed = protocol != null && protocol.state() == Protocol.State.PEER_CLOSED;
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
            arrivals.remove(Arrivals.kind(arrivals.oldest()));
            taken = false;
        }
        while (!arrivals.isEmpty()) {
            long arrival = arrivals.oldest();
            byte kind = Arrivals.kind(arrival);
            if (kind != Arrivals.SENT && kind != Arrivals.FAILED) {
                share.giveBack((int) Arrivals.id(arrival));
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
