// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.promise.Decisions;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Supplier;

/**
 * The endpoint protocol as a state machine. It has one method for each input: calls of the program, completions, the
 * end of the connection, and the time. It posts to a {@link Wire}, decides each {@link Promise}, which {@link
 * #decisions} returns, and increments {@link #changes}, after which waiting threads check again.
 *
 * <p>It has no threads, no locks, no waiting and no verbs: the layer above has them. A simulation runs two of these
 * machines against each other. After an exception the machine is consistent, and the same event may be passed again.
 * After an {@link Error} it is consistent only if {@link #isHarmless}; otherwise the layer above calls {@link
 * #interrupted}.
 */
public sealed class Protocol extends WireEvents permits SummedProtocol {
    /** The result of a {@code try} method: the message or transfer was posted. */
    public static final int OK = 0;
    /** The peer has no free receive buffer. */
    public static final int NO_CREDIT = 1;
    /** The send queue is full. */
    public static final int QUEUE_FULL = 2;
    /** The peer has closed. */
    public static final int CLOSED_BY_PEER = -1;

    /** Marks the id of a receive, whose other bits are the buffer. The id of a send is its slot. */
    public static final long RECEIVE = 1L << 33;
    /** The id of credit updates and of the close. */
    public static final long CONTROL = 1L << 32;
    /** The id of probes, which make the peer's adapter acknowledge. */
    public static final long PROBE = 1L << 34;
    /** The send queue entries beyond the slots: for credit updates, the close message, and a probe. */
    public static final int SEND_RESERVE = Credits.RESERVE + 1;

    /** One of the entries is for the close message. */
    private static final int MAX_UPDATES = Credits.RESERVE - 1;
    /** The time in which an adapter must complete all requests after the queue pair has failed. */
    private static final long GRACE_NANOS = 1_000_000_000L;

    private static final String NOT_THE_PROTOCOL = "the peer does not keep to the endpoint protocol: ";

    /** The state of the connection. */
    public enum State {
        OPEN,
        PEER_CLOSED,
        LOST
    }

    /** A message or a transfer that waits until it can be posted. */
    private record Waiting(
            MemorySegment message,
            Operation operation,
            MemorySlice local,
            RemoteMemory remote,
            long operand,
            long newValue,
            Promise<?> promise) {
        Waiting(MemorySegment message, Promise<?> promise) {
            this(message, null, null, null, 0, 0, promise);
        }
    }

    final String name;
    final Wire wire;
    final Credits credits;
    final Slots slots;
    /** Incremented by each event that a thread can wait for. */
    long changes;

    private final int maxMessage;
    private final ArrayDeque<Waiting> outbox = new ArrayDeque<>();
    /** Whether a send or a request for a message may wait. Neither does in most programs. */
    private boolean anyWaiting;
    /** Whether a send was refused for lack of a credit, and the program was not notified of a new credit since. */
    private boolean wantsCredit;
    /** Whether a send was refused because the queue was full, and the program was not notified of a free slot since. */
    private boolean wantsSlot;
    /** Whether a thread has waited for the end of a post, which programs usually do again, or closes. */
    private boolean endsMatter;

    private final int bufferSize;

    private final Inbox inbox;
    private final Silence silence;
    private final EndExceptions exceptions;
    private final ArrayDeque<Promise<byte[]>> requests = new ArrayDeque<>();
    /** Calls of {@link #nudge} since the last removal of cancelled sends and requests. */
    private int nudges;

    private final Decisions decisions = new Decisions();
    State state = State.OPEN;
    Loss lost;
    /**
     * An error that has changed nothing, from its throw until {@link #interrupted} gets it, or a promise. No longer:
     * HotSpot may throw the same OutOfMemoryError again, and that one may have changed something.
     */
    private Error harmless;

    private IllegalStateException closed;
    private boolean deaf;
    private boolean broken;
    private boolean endReported;
    private boolean graceBegun;
    private long graceSince;
    private int controlsUnderWay;
    private boolean probeUnderWay;
    private long postedBeforeProbe;

    /**
     * Creates the state after the handshake.
     *
     * @param bufferSize the length of this side's receive buffers, in bytes
     * @param maxMessage the longest message to send, in bytes, without its sum
     */
    public Protocol(
            String name,
            Wire wire,
            Credits credits,
            int sendDepth,
            int bufferSize,
            int maxMessage,
            Silence silence,
            EndExceptions exceptions) {
        this.name = name;
        this.wire = wire;
        this.credits = credits;
        this.slots = new Slots(sendDepth);
        if (!wire.canPostUnsignaled()) {
            slots.signalEach();
        }
        this.maxMessage = maxMessage;
        this.exceptions = exceptions;
        this.inbox = new Inbox(credits.buffers() + Credits.RESERVE);
        this.bufferSize = bufferSize;
        this.silence = silence;
    }

    @Override
    public State state() {
        return state;
    }

    /** {@return the promises that are decided and not completed yet} */
    public Decisions decisions() {
        return decisions;
    }

    /** {@return the number of events that a thread can wait for} */
    public long changes() {
        return changes;
    }

    /** Whether the connection has ended and nothing is under way any more. */
    public boolean hasEnded() {
        return state != State.OPEN && slots.isIdle();
    }

    /** Whether the connection has ended and nothing is left to poll. */
    public boolean hasEndedPolling() {
        return state != State.OPEN && !slots.hasPolled();
    }

    public boolean hasControlsUnderWay() {
        return controlsUnderWay > 0;
    }

    /** Creates the exception for a call after the end of the connection. Its stack trace is the caller's. */
    public VerbsException ended(String operation) {
        return state == State.PEER_CLOSED ? exceptions.closedByPeer(operation) : exceptions.lost(operation, lost);
    }

    public String endReason() {
        return switch (state) {
            case OPEN -> "closed by this side";
            case PEER_CLOSED -> "closed by the peer";
            case LOST -> lost.reason();
        };
    }

    // ---- Calls of the program, except sends ----

    /**
     * Returns whether the endpoint is ready: there is a message, a transfer to poll, the end of the connection, or room
     * for a send that was refused. The last is reported once.
     */
    public boolean takeReady() {
        return takeSendable() || !inbox.isEmpty() || slots.hasDone() || state != State.OPEN;
    }

    /** As {@link #takeReady}, without a change. */
    public boolean isReady() {
        return isRoomAgain() || !inbox.isEmpty() || slots.hasDone() || state != State.OPEN;
    }

    /** Takes the oldest message. Returns its buffer, which must be released; -1 if there is none. */
    public int take() {
        // Before the message is taken, because posting may throw.
        if (credits.isPeerOut()) {
            updateCredits();
        }
        return inbox.take();
    }

    /** Puts a message back that was taken. */
    public void putBack(int buffer) {
        inbox.putBack(buffer);
        changes++;
    }

    /** Whether there is a message to take. */
    public boolean hasMessage() {
        return !inbox.isEmpty();
    }

    /** For tests: the number of messages to take. */
    public int messageCount() {
        return inbox.count();
    }

    /** {@return the length of the message in a buffer, in bytes} */
    public long length(int buffer) {
        return inbox.length(buffer);
    }

    /** Takes a copy of the oldest message; null if there is none yet. If this throws, the message stays. */
    public byte[] copyNext(String operation) {
        if (inbox.isEmpty()) {
            if (state != State.OPEN) {
                throw ended(operation);
            }
            return null;
        }
        byte[] copy = copyOldest();
        release(inbox.take());
        return copy;
    }

    private byte[] copyOldest() {
        int buffer = inbox.peek();
        try {
            return wire.copy(buffer, inbox.length(buffer));
        } catch (Error e) {
            // Out of memory. The message stays.
            harmless = e;
            throw e;
        }
    }

    public void request(Promise<byte[]> promise) {
        anyWaiting = true;
        requests.add(promise);
        settle();
    }

    /** Releases the buffer of a message that the program has read. */
    public void release(int buffer) {
        if (canPost()) {
            posted(wire.returnReceive(buffer));
            credits.release();
            updateCredits();
        }
    }

    /** Takes the slot of the oldest transfer that is done and not polled; -1 if there is none. */
    public int takeDone() {
        return slots.takeDone();
    }

    /** {@return the original value of an atomic operation that succeeded; 0 for anything else} */
    public long resultOf(int slot) {
        return slots.hasResult(slot) ? wire.word(slot) : 0;
    }

    /** Releases the slot of a polled transfer to the next waiting send. */
    public void releaseDone(int slot) {
        slots.release(slot);
        changes++;
        flush();
    }

    long word(int slot) {
        return wire.word(slot);
    }

    /** Makes waiting threads check again: the program has cancelled a promise, or completed something. */
    public void nudge() {
        changes++;
        forgetWithdrawn();
        flush();
    }

    /**
     * Removes the waiting sends and requests that the program has cancelled, once these may be half of all: each
     * removal checks all.
     */
    private void forgetWithdrawn() {
        nudges++;
        if (2 * nudges >= waitingCount()) {
            nudges = 0;
            requests.removeIf(Promise::isWithdrawn);
            outbox.removeIf(waiting -> waiting.promise.isWithdrawn());
        }
    }

    /** {@return the number of waiting sends and requests, and of cancelled ones that were not removed yet} */
    int waitingCount() {
        return requests.size() + outbox.size();
    }

    // ---- Events of the wire ----

    /** A message has arrived. */
    @Override
    public void received(int buffer, boolean framed, int frame, long length) {
        changes++;
        silence.received();
        if (deaf || state == State.PEER_CLOSED) {
            return;
        }
        if (!framed || length > bufferSize) {
            violated("what has come is no message, or longer than a buffer");
            return;
        }
        int kind = Frame.kind(frame);
        if (kind != Frame.MESSAGE && kind != Frame.CREDIT && kind != Frame.CLOSE) {
            violated("a message of an unknown kind");
        } else if (kind == Frame.MESSAGE && !isIntact(buffer, length)) {
            deaf = true;
        } else if (kind == Frame.MESSAGE && !credits.arrive()) {
            violated("a message for which it had no credit");
        } else if (!credits.receive(Frame.credits(frame))) {
            violated("more credits than it has buffers");
        } else if (kind == Frame.MESSAGE) {
            inbox.add(buffer, length - behind());
        } else if (kind == Frame.CREDIT) {
            if (canPost()) {
                posted(wire.postReceive(buffer));
            }
        } else if (state == State.OPEN) {
            state = State.PEER_CLOSED;
            reportEnd("closed by the peer");
        }
    }

    /** The peer has sent more than it had credits for, and the wire has dropped some of it. */
    @Override
    public void overrun() {
        changes++;
        violated("a message for which it had no credit");
    }

    /** Returns whether a message has the right checksum, if it has one. If not, the connection is lost. */
    boolean isIntact(int buffer, long length) {
        return true;
    }

    /** {@return the number of bytes behind each message that are not part of it} */
    int behind() {
        return 0;
    }

    /** {@return the checksum of messages; null if they have none} */
    public Checksum sums() {
        return null;
    }

    final void violated(String how) {
        deaf = true;
        lose(NOT_THE_PROTOCOL + how, null);
    }

    /** The post with an id has completed. */
    @Override
    public void sent(long id) {
        changes++;
        silence.acknowledged();
        if (id == CONTROL) {
            controlsUnderWay--;
        } else if (id == PROBE) {
            probeUnderWay = false;
            slots.completeUnsignaled(postedBeforeProbe, this);
        } else {
            slots.complete((int) id, null, this);
        }
    }

    /**
     * The post with an id has failed, and with it the connection.
     *
     * @param cause the cause; null if the failure is only a consequence of another one
     */
    @Override
    public void failed(long id, String reason, VerbsException cause) {
        changes++;
        lose(reason, cause);
        if (id == CONTROL) {
            controlsUnderWay--;
        } else if (id == PROBE) {
            probeUnderWay = false;
        } else if ((id & RECEIVE) == 0) {
            slots.complete((int) id, cause != null ? cause : ended("a transfer of " + name), this);
        }
    }

    /**
     * The connection manager has reported the end of the connection. Earlier arrivals count, in particular the peer's
     * close message.
     */
    @Override
    public void linkLost(String reason) {
        lose(reason, null);
        breakWire();
    }

    /** Ends the connection as lost, unless it has ended before. */
    public void lose(String reason, VerbsException cause) {
        if (state == State.OPEN) {
            lose(new Loss(reason, cause, null));
        }
    }

    public final void lose(Loss how) {
        if (state == State.OPEN) {
            lost = how;
            state = State.LOST;
            changes++;
            breakWire();
            reportEnd(how.reason());
        }
    }

    /** Remembers that an error has changed nothing: {@link #interrupted} then ignores it. */
    public void markHarmless(Throwable failure) {
        if (failure instanceof Error error) {
            harmless = error;
        }
    }

    final boolean isHarmless(Error error) {
        return error == harmless;
    }

    @Override
    public boolean interrupted(Error error) {
        boolean changedNothing = isHarmless(error);
        harmless = null;
        if (changedNothing) {
            return false;
        }
        deaf = true;
        // A message between them may be missing.
        inbox.clear();
        if (state == State.PEER_CLOSED) {
            state = State.OPEN;
        }
        lose(new Loss(interruption(error), error, null));
        breakWire();
        settle();
        return true;
    }

    private void reportEnd(String reason) {
        if (!endReported) {
            endReported = true;
            wire.ended(reason);
        }
    }

    /** Makes everything under way complete. If this fails, the grace period ends the wait. */
    private void breakWire() {
        if (!broken) {
            broken = true;
            try {
                wire.toError();
            } catch (VerbsException | IllegalStateException _) {
                // The connection has ended for a known reason.
            }
        }
    }

    // ---- The time ----

    /** Checks the time limits, after everything that arrived was taken in; {@code now} is in nanoseconds. */
    public void checkTimeouts(long now) {
        boolean underWay = !slots.isIdle() || controlsUnderWay > 0 || probeUnderWay;
        if (broken) {
            if (slots.isIdle()) {
                return;
            }
            if (!graceBegun) {
                graceBegun = true;
                graceSince = now;
            } else if (now - graceSince >= GRACE_NANOS) {
                slots.abandon(ended("a transfer of " + name), this);
                changes++;
            }
            return;
        }
        switch (silence.check(now, underWay, slots.lengthUnderWay())) {
            case FINE -> {}
            case PROBE -> {
                if (!probeUnderWay && canPost()) {
                    probe();
                }
            }
            case DEAD -> {
                if (wire.isPeerThere()) {
                    silence.acknowledged();
                    return;
                }
                lose(
                        "the peer's " + wire.peerName()
                                + " has acknowledged nothing for too long (EndpointConfig.silenceTimeout): the wire is cut,"
                                + " or the peer's machine stands still",
                        null);
                breakWire();
            }
        }
    }

    private void probe() {
        postedBeforeProbe = slots.posted();
        posted(wire.postProbe(PROBE));
        probeUnderWay = true;
    }

    /**
     * Posts a probe, which reports the end of unsignaled posts. With all slots taken, nothing else would free theirs.
     */
    private void askForEnds() {
        if (!slots.hasFree() && slots.hasUnsignaled() && !probeUnderWay && canPost()) {
            probe();
        }
    }

    /** {@return after how many nanoseconds {@link #checkTimeouts} must be called at the latest} */
    public long nanosToNextCheck() {
        return broken && !slots.isIdle() ? GRACE_NANOS : silence.nanosToNextCheck();
    }

    // ---- After an event ----

    /** Called after an event or several: posts waiting sends and decides promises, as far as possible. */
    public void settle() {
        if (anyWaiting) {
            settleWaiting();
        }
        if (state == State.OPEN) {
            updateCredits();
            askForEnds();
        }
    }

    private void settleWaiting() {
        serveRequests();
        if (state == State.OPEN) {
            flush();
        } else {
            endWaiting();
        }
        anyWaiting = !requests.isEmpty() || !outbox.isEmpty();
    }

    private void serveRequests() {
        while (!requests.isEmpty() && !inbox.isEmpty()) {
            Promise<byte[]> request = requests.peek();
            if (!request.isWithdrawn()) {
                byte[] copy = null;
                Throwable failure = null;
                try {
                    copy = copyOldest();
                } catch (Throwable e) {
                    // For example out of memory. The message stays for the next request.
                    failure = e;
                    harmless = null;
                }
                if (decide(request, copy, failure) && failure == null) {
                    release(inbox.take());
                }
            }
            requests.remove();
        }
    }

    private void endWaiting() {
        while (!requests.isEmpty()) {
            decide(requests.peek(), null, ended("receiving from " + name));
            requests.remove();
        }
        endSending(() -> ended("sending over " + name));
    }

    /**
     * Sends the owed credits if they are many, or if the peer has none and at most one message is unread. If the send
     * queue is full, the next event tries again.
     */
    private void updateCredits() {
        // The condition that is usually false comes first. A slow reader does not grant credits one by one.
        if ((credits.updateDue() || credits.isPeerOut() && inbox.count() <= 1)
                && canPost()
                && controlsUnderWay < MAX_UPDATES) {
            postControl(Frame.CREDIT);
        }
    }

    private void postControl(int kind) {
        try {
            if (posted(wire.postControl(CONTROL, Frame.of(kind, grant())))) {
                controlsUnderWay++;
            }
        } catch (RuntimeException e) {
            loseByPosting(e);
        }
    }

    private boolean canPost() {
        return state == State.OPEN && closed == null;
    }

    // ---- The end ----

    /** Begins the close of this side: polling and receiving end, and waiting sends continue. */
    public void beginClosing(IllegalStateException reason) {
        changes++;
        reportEnd("closed by this side");
        awaitEnds();
        slots.stopPolling();
        while (!requests.isEmpty()) {
            decide(requests.peek(), null, reason);
            requests.remove();
        }
        settle();
    }

    /** Sends the close message. */
    public void postClose() {
        if (canPost()) {
            postControl(Frame.CLOSE);
        }
    }

    /** Ends everything: nothing is posted or completes any more. */
    public void abandon(IllegalStateException reason) {
        closed = reason;
        changes++;
        while (!requests.isEmpty()) {
            decide(requests.peek(), null, reason);
            requests.remove();
        }
        endSending(() -> reason);
        slots.abandon(reason, this);
    }

    // ---- Promises ----

    public void refuse(int slot, RuntimeException failure) {
        slots.refuse(slot, failure, this);
    }

    /** Decides a promise. Returns false if the program has cancelled it. */
    public boolean decide(Promise<?> promise, Object value, Throwable failure) {
        if (!promise.decide(value, failure)) {
            return false;
        }
        decisions.add(promise);
        changes++;
        return true;
    }

    /** Puts a promise back whose completion failed. */
    public void completeAgain(Promise<?> promise) {
        decisions.putBack(promise);
        changes++;
    }

    public final Credits credits() {
        return credits;
    }

    public final Slots slots() {
        return slots;
    }

    public final int maxMessage() {
        return maxMessage;
    }

    /** Whether everything that was accepted for sending has arrived. */
    public final boolean isIdle() {
        return outbox.isEmpty() && slots.isIdle();
    }

    /**
     * Returns whether the end of a post must wake a sleeping thread. Most programs wait only for messages, and ends
     * would wake them twice for each request. If a credit update is still due, the send queue may have been full.
     */
    public final boolean awaitsEnds() {
        return endsMatter || !slots.hasFree() || credits.updateDue() || credits.isPeerOut() || !isOpen();
    }

    /** Makes {@link #awaitsEnds} return true from now on. */
    public final void awaitEnds() {
        endsMatter = true;
        slots.signalEach();
    }

    // ---- Sends of the program ----

    private void checkLength(MemorySegment message) {
        checkLength(message.byteSize());
    }

    private void checkLength(long length) {
        if (length > maxMessage) {
            throw new IllegalArgumentException(
                    ("a message of %d bytes: this side's and the peer's EndpointConfig.maxMessageSize allow %d; write"
                                    + " longer data into exposed memory")
                            .formatted(length, maxMessage));
        }
    }

    /** Sends a message, or returns why not. */
    public final int trySend(MemorySegment message) {
        int code = mayPost(message.byteSize());
        if (code != OK) {
            return code;
        }
        // The body of postMessage: another call would push the JDK's copies beyond the limit of inlining.
        int slot = slots.take(null, false);
        try {
            wire.fillNext(slot, message);
        } catch (Throwable e) {
            slots.release(slot);
            markHarmless(e);
            throw e;
        }
        credits.spend();
        postFilled(slot, message.byteSize(), mustSignal());
        return isOpen() ? OK : closedOrLost("sending over " + name);
    }

    /** Sends the remaining bytes of a buffer, and sets its position to its limit; or returns why not. */
    public final int trySend(ByteBuffer message) {
        int length = message.remaining();
        int code = mayPost(length);
        if (code != OK) {
            return code;
        }
        int slot = slots.take(null, false);
        try {
            wire.fillNext(slot, message);
        } catch (Throwable e) {
            slots.release(slot);
            markHarmless(e);
            throw e;
        }
        credits.spend();
        postFilled(slot, length, mustSignal());
        message.position(message.limit());
        return isOpen() ? OK : closedOrLost("sending over " + name);
    }

    /** Sends a message from registered memory, which stays in use until its end is polled; or returns why not. */
    public final int trySend(long id, MemorySlice message) {
        int code = mayPost(message.length());
        if (code != OK) {
            return code;
        }
        int slot = slots.take(id, false);
        try {
            wire.lend(slot, message);
        } catch (Throwable e) {
            slots.release(slot);
            markHarmless(e);
            throw e;
        }
        credits.spend();
        postFilled(slot, message.length(), true);
        // Also if the post was refused: the refusal is reported as the end.
        return OK;
    }

    /** Returns whether a message can be posted now, or why not. */
    private int mayPost(long length) {
        checkLength(length);
        if (!isOpen()) {
            return closedOrLost("sending over " + name);
        }
        flush();
        if (credits.available() == 0) {
            wantsCredit = true;
            return NO_CREDIT;
        }
        if (!hasFreeSlot()) {
            wantsSlot = true;
            return QUEUE_FULL;
        }
        return OK;
    }

    /** Returns whether a refused send can be retried; reported once. */
    final boolean takeSendable() {
        boolean roomAgain = isRoomAgain();
        if (roomAgain) {
            wantsSlot = false;
            wantsCredit = false;
        }
        return roomAgain;
    }

    final boolean isRoomAgain() {
        return (wantsSlot || wantsCredit && credits.available() > 0) && hasFreeSlot();
    }

    /** Sends as many of these messages as possible, in order, with one doorbell. Returns how many. */
    public final int trySendAll(List<? extends MemorySegment> messages) {
        for (int i = 0; i < messages.size(); i++) {
            checkLength(messages.get(i));
        }
        if (!isOpen()) {
            return closedOrLost("sending over " + name);
        }
        flush();
        int room = outbox.isEmpty() ? Math.min(credits.available(), slots.freeCount()) : 0;
        int number = Math.min(messages.size(), room);
        if (number < messages.size()) {
            wantsCredit |= credits.available() == number;
            wantsSlot |= credits.available() > number;
        }
        if (number > 0) {
            int[] taken = fill(messages, number);
            post(taken, messages);
        }
        return isOpen() ? number : closedOrLost("sending over " + name);
    }

    /** Copies the first messages into slots; all of them, or none. */
    private int[] fill(List<? extends MemorySegment> messages, int number) {
        int[] taken = new int[number];
        int filled = 0;
        try {
            while (filled < number) {
                taken[filled] = slots.take(null, false);
                filled++;
                wire.fill(taken[filled - 1], messages.get(filled - 1));
            }
            return taken;
        } catch (Throwable e) {
            while (filled > 0) {
                slots.release(taken[--filled]);
            }
            markHarmless(e);
            throw e;
        }
    }

    private void post(int[] taken, List<? extends MemorySegment> messages) {
        int posted;
        try {
            posted = postBatch(taken, messages);
        } catch (RuntimeException e) {
            loseByPosting(e);
            return;
        }
        for (int i = posted; i < taken.length; i++) {
            postedIn(taken[i], wire.batchError());
        }
    }

    private int postBatch(int[] taken, List<? extends MemorySegment> messages) {
        int posted = 0;
        wire.beginBatch();
        try {
            for (int i = 0; i < taken.length; i++) {
                credits.spend();
                // The completion of the last one covers all.
                boolean signaled = i == taken.length - 1 || slots.hasManyUnsignaled();
                long length = messages.get(i).byteSize();
                seal(taken[i], length);
                slots.posted(taken[i], length, signaled);
                wire.postMessage(taken[i], Frame.of(Frame.MESSAGE, grantIfDue()), signaled);
            }
        } finally {
            posted = wire.endBatch();
        }
        return posted;
    }

    /** Takes a slot and a credit for a message that the program will write. Returns the slot; -1 if there is none. */
    public final int claim() {
        if (!isOpen()) {
            throw ended("claiming a message of " + name);
        }
        if (mayPost(0) != OK) {
            return -1;
        }
        credits.spend();
        return slots.claim();
    }

    /** Sends the message that the program has written into a claimed slot. */
    public final void sendClaimed(int slot, long length) {
        if (!isOpen()) {
            slots.giveBack(slot);
            throw ended("sending over " + name);
        }
        flush();
        if (outbox.isEmpty()) {
            wire.cut(slot, length);
            slots.send(slot);
            postFilled(slot, length, mustSignal());
        } else {
            sendLater(slot, length);
        }
        if (!isOpen()) {
            throw ended("sending over " + name);
        }
    }

    /** Queues a claimed message behind waiting sends, which may need its slot and its credit: it gives back both. */
    private void sendLater(int slot, long length) {
        try {
            MemorySegment copy =
                    MemorySegment.ofArray(wire.buffer(slot).asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
            anyWaiting = true;
            outbox.add(new Waiting(copy, new Promise<>(null)));
        } finally {
            giveBack(slot);
        }
    }

    /** Returns a claimed slot that the program does not need. */
    public final void giveBack(int slot) {
        slots.giveBack(slot);
        credits.unspend();
        changes++;
        flush();
    }

    /** Whether something can be posted now and no send waits. */
    public final boolean hasFreeSlot() {
        return slots.hasFree() && (!anyWaiting || outbox.isEmpty());
    }

    private int closedOrLost(String operation) {
        if (state() == State.PEER_CLOSED) {
            return CLOSED_BY_PEER;
        }
        throw ended(operation);
    }

    public final void sendAsync(MemorySegment message, Promise<Void> promise) {
        checkLength(message);
        awaitEnds();
        if (!isOpen()) {
            decide(promise, null, ended("sending over " + name));
            return;
        }
        anyWaiting = true;
        outbox.add(new Waiting(message, promise));
        flush();
    }

    /**
     * Posts a transfer whose end is polled, or returns why not.
     *
     * @param local null for an atomic operation
     * @param operand the expected value of a compare-and-swap, the addend of a fetch-and-add
     */
    public final int tryTransfer(
            long id, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        if (!isOpen()) {
            return closedOrLost("a transfer of " + name);
        }
        awaitEnds();
        flush();
        if (!hasFreeSlot()) {
            wantsSlot = true;
            return QUEUE_FULL;
        }
        postTransfer(slots.take(id, operation.hasResult()), operation, local, remote, operand, newValue);
        return OK;
    }

    /** Posts a transfer with a promise, or makes it wait until it can be posted. */
    public final void transferAsync(
            Promise<?> promise,
            Operation operation,
            MemorySlice local,
            RemoteMemory remote,
            long operand,
            long newValue) {
        awaitEnds();
        flush();
        if (!isOpen()) {
            decide(promise, null, ended("a transfer of " + name));
        } else if (hasFreeSlot()) {
            postTransfer(slots.take(promise, operation.hasResult()), operation, local, remote, operand, newValue);
        } else {
            anyWaiting = true;
            outbox.add(new Waiting(null, operation, local, remote, operand, newValue, promise));
        }
    }

    // ---- Posting ----

    /**
     * Posts waiting sends in order, as long as there are slots and credits. Skips sends that the program has cancelled.
     */
    final void flush() {
        while (anyWaiting && isOpen() && !outbox.isEmpty()) {
            Waiting next = outbox.peek();
            if (!next.promise.isWithdrawn()) {
                if (!slots.hasFree() || next.message != null && credits.available() == 0) {
                    return;
                }
                post(next);
            }
            outbox.remove();
            changes++;
        }
    }

    private void post(Waiting next) {
        try {
            if (next.message != null) {
                postMessage(next.message, next.promise);
            } else {
                postTransfer(
                        slots.take(next.promise, next.operation.hasResult()),
                        next.operation,
                        next.local,
                        next.remote,
                        next.operand,
                        next.newValue);
            }
        } catch (RuntimeException e) {
            decide(next.promise, null, e);
        } catch (Error e) {
            decide(next.promise, null, e);
            if (!isHarmless(e)) {
                throw e;
            }
            harmless = null;
        }
    }

    private void postMessage(MemorySegment message, Promise<?> promise) {
        int slot = slots.take(promise, false);
        try {
            wire.fillNext(slot, message);
        } catch (Throwable e) {
            // The segment's arena is closed or confined to another thread.
            slots.release(slot);
            markHarmless(e);
            throw e;
        }
        credits.spend();
        postFilled(slot, message.byteSize(), true);
    }

    /** {@return the credits that the next message grants} */
    private int grantIfDue() {
        return credits.isGrantDue() ? grant() : 0;
    }

    /** Grants all owed credits. The buffers are posted before the peer gets the credits. */
    final int grant() {
        posted(wire.postReturned());
        return credits.grant();
    }

    private void postFilled(int slot, long length, boolean signaled) {
        try {
            seal(slot, length);
            int frame = Frame.of(Frame.MESSAGE, grantIfDue());
            slots.posted(slot, length, signaled);
            postedIn(slot, wire.postMessage(slot, frame, signaled));
        } catch (RuntimeException e) {
            loseByPosting(e);
        }
    }

    /**
     * Loses the connection after an exception of the wire. It does not show what was posted, and the message may have
     * granted credits: the grace period ends what never completes.
     */
    private void loseByPosting(RuntimeException failure) {
        lose(new Loss("posting failed: " + failure.getMessage(), failure, null));
    }

    /** Adds the checksum to a message that is about to be posted. Only {@link SummedProtocol} has checksums. */
    void seal(int slot, long length) {}

    /**
     * Returns whether a message without a promise must be signaled: because many messages before it are not, or because
     * it has taken the last slot. A completion costs about as much as a post, so several messages share one.
     */
    private boolean mustSignal() {
        return slots.hasManyUnsignaled() || !slots.hasFree();
    }

    private void postTransfer(
            int slot, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        int errno;
        try {
            errno = wire.postTransfer(slot, operation, local, remote, operand, newValue);
        } catch (Throwable e) {
            // Invalid arguments, which the queue pair checks.
            slots.release(slot);
            throw e;
        }
        slots.posted(slot, local == null ? Long.BYTES : local.length(), true);
        postedIn(slot, errno);
    }

    private void postedIn(int slot, int errno) {
        if (!posted(errno)) {
            refuse(slot, ended("posting over " + name));
        }
    }

    /**
     * Handles the result of a post. The send queue has an entry for every post, so a refusal never means a full queue.
     */
    final boolean posted(int errno) {
        if (errno != 0) {
            lose("posting failed: " + VerbsException.describe(errno), null);
        }
        return errno == 0;
    }

    /** Fails the waiting sends. */
    final void endSending(Supplier<RuntimeException> reason) {
        while (!outbox.isEmpty()) {
            decide(outbox.peek().promise, null, reason.get());
            outbox.remove();
        }
    }

    /** {@return the addresses} */
    @Override
    public final String toString() {
        return name;
    }
}
