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
 * end of the connection, and the time. The machine posts to a {@link Wire}, decides a {@link Promise} that {@link
 * #decisions} gives out, or counts up {@link #changes}, upon which waiting threads check again.
 *
 * <p>It has no threads, no locks, no waiting and no verbs. The layer above has them, and a simulation runs two of these
 * machines against each other. After an exception the machine is consistent, and the same event may be given again.
 * After an {@link Error} it is consistent only if {@link #isHarmless}; otherwise the layer above calls {@link
 * #interrupted}.
 */
public sealed class Protocol extends WireEvents permits SummedProtocol {
    /** What a method that tries gives: it is posted. */
    public static final int OK = 0;
    /** The peer has no free receive buffer. */
    public static final int NO_CREDIT = 1;
    /** There is no free place in the send queue. */
    public static final int QUEUE_FULL = 2;
    /** The peer has closed. */
    public static final int CLOSED_BY_PEER = -1;

    /** In the id of a work request: it is a receive, and the rest is its buffer. Of others, the id is the slot. */
    public static final long RECEIVE = 1L << 33;
    /** The id of credit updates and of the close. */
    public static final long CONTROL = 1L << 32;
    /** The id of what asks for a sign of life. */
    public static final long PROBE = 1L << 34;
    /** Send queue entries needed besides the slots: for credit updates, the close, and a probe. */
    public static final int SEND_RESERVE = Credits.RESERVE + 1;

    /** One of the places is for the close. */
    private static final int MAX_UPDATES = Credits.RESERVE - 1;
    /** How long an adapter has to complete what is under way after the queue pair has failed. */
    private static final long GRACE_NANOS = 1_000_000_000L;

    private static final String NOT_THE_PROTOCOL = "the peer does not keep to the endpoint protocol: ";

    /** What can still be done with the peer. */
    public enum State {
        OPEN,
        PEER_CLOSED,
        LOST
    }

    /** A message, or a transfer, that waits for its turn. */
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
    /** Counts up with everything that somebody can have waited for. */
    long changes;

    private final int maxMessage;
    private final ArrayDeque<Waiting> outbox = new ArrayDeque<>();
    /** The program was refused a send because the peer had no free buffer, and was not notified of a free one since. */
    private boolean wantsCredit;
    /** The program was refused a send because the send queue was full, and was not notified of a free slot since. */
    private boolean wantsPlace;
    /** The wire reports the end of every post. */
    private final boolean allTell;
    /** Somebody has waited for the end of something, as some programs do again and again, or closes. */
    private boolean endsMatter;

    private final int bufferSize;

    private final Inbox inbox;
    private final Silence silence;
    private final EndExceptions exceptions;
    private final ArrayDeque<Promise<byte[]>> requests = new ArrayDeque<>();
    private final Decisions decisions = new Decisions();
    State state = State.OPEN;
    Loss lost;
    /** An error that has left everything as it was. */
    private Error harmless;

    private IllegalStateException closed;
    private boolean deaf;
    private boolean broken;
    private boolean endTold;
    private boolean graceBegun;
    private long graceSince;
    private int controlsUnderWay;
    private boolean probeUnderWay;
    private long postedBeforeProbe;

    /**
     * The state after the handshake.
     *
     * @param bufferSize of this side's receive buffers, in bytes
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
        this.allTell = !wire.canPostUnsignaled();
        this.credits = credits;
        this.slots = new Slots(sendDepth);
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

    /** The promises that are decided and not completed yet. */
    public Decisions decisions() {
        return decisions;
    }

    /** Counts up with everything that somebody can have waited for. */
    public long changes() {
        return changes;
    }

    /** Whether the connection is over and nothing is under way any more. */
    public boolean hasEnded() {
        return state != State.OPEN && slots.isIdle();
    }

    /** Whether the connection is over and nothing is left that could be polled for. */
    public boolean hasEndedPolling() {
        return state != State.OPEN && !slots.hasPolled();
    }

    public boolean hasControlsUnderWay() {
        return controlsUnderWay > 0;
    }

    /** Why nothing goes any more; a new exception each time, so that its stack trace is the caller's. */
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

    // ---- What the program asks for, beside sending ----

    /**
     * Returns whether the program has something to do: read a message, poll a transfer, notice the end of the
     * connection, or retry a send that was refused. A retry is reported once.
     */
    public boolean takeReady() {
        return takeRoomAgain() || !inbox.isEmpty() || slots.hasDone() || state != State.OPEN;
    }

    /** Whether the program has something to do; asking changes nothing. */
    public boolean isReady() {
        return isRoomAgain() || !inbox.isEmpty() || slots.hasDone() || state != State.OPEN;
    }

    /** The oldest message's buffer, -1 if there is none; to be released. */
    public int take() {
        // Before the message is out: posting may throw.
        if (credits.isPeerOut()) {
            updateCredits();
        }
        return inbox.take();
    }

    /** A message that was taken, and could not be given to anybody. */
    public void putBack(int buffer) {
        inbox.putBack(buffer);
        changes++;
    }

    /** Whether a message has arrived that nobody has taken. */
    public boolean hasMessage() {
        return !inbox.isEmpty();
    }

    /** For tests: how many messages have arrived that nobody has taken. */
    public int messageCount() {
        return inbox.count();
    }

    /** How long the message in a buffer is, in bytes. */
    public long length(int buffer) {
        return inbox.length(buffer);
    }

    /** A copy of the oldest message; null if there is none and one may come. If it throws, the message stays. */
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
        requests.add(promise);
        settle();
    }

    /** The program has done with a message. */
    public void release(int buffer) {
        if (canPost()) {
            posted(wire.returnReceive(buffer));
            credits.release();
            updateCredits();
        }
    }

    /** The slot of the transfer that was done first and has not been polled; -1 if there is none. */
    public int takeDone() {
        return slots.takeDone();
    }

    /** The value before an atomic operation that succeeded; 0 of anything else. */
    public long resultOf(int slot) {
        return slots.hasResult(slot) ? wire.word(slot) : 0;
    }

    /** A transfer that was polled releases its slot to the next waiting send. */
    public void releaseDone(int slot) {
        slots.release(slot);
        changes++;
        flush();
    }

    long word(int slot) {
        return wire.word(slot);
    }

    /** The program has taken a promise back, or completed something that others wait for. */
    public void nudge() {
        changes++;
        flush();
    }

    // ---- What the wire says ----

    /** A message has come. */
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
            tellEnd("closed by the peer");
        }
    }

    /** The peer has sent more than there are buffers for, and the wire has kept some of it from this side. */
    @Override
    public void overrun() {
        changes++;
        violated("a message for which it had no credit");
    }

    /** Whether a message is what was sent, as far as that can be known; if not, the connection is lost. */
    boolean isIntact(int buffer, long length) {
        return true;
    }

    /** The bytes behind each message that are not the program's. */
    int behind() {
        return 0;
    }

    /** The sums of messages; null if they have none. */
    public Checksum sums() {
        return null;
    }

    final void violated(String how) {
        deaf = true;
        lose(NOT_THE_PROTOCOL + how, null);
    }

    /** What was posted with an id has arrived. */
    @Override
    public void sent(long id) {
        changes++;
        silence.acknowledged();
        if (id == CONTROL) {
            controlsUnderWay--;
        } else if (id == PROBE) {
            probeUnderWay = false;
            slots.completeUntold(postedBeforeProbe, this);
        } else {
            slots.complete((int) id, null, this);
        }
    }

    /**
     * What was posted with an id has failed, and the connection with it.
     *
     * @param cause of the failure; null if it is only a consequence of another one
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
     * The connection manager says that the connection has ended. What arrived before counts, above all the peer's
     * close.
     */
    @Override
    public void linkLost(String reason) {
        lose(reason, null);
        breakWire();
    }

    /** The connection has ended without a close, unless that came first. */
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
            tellEnd(how.reason());
        }
    }

    public void undone(Throwable failure) {
        if (failure instanceof Error error) {
            harmless = error;
        }
    }

    final boolean isHarmless(Error error) {
        return error == harmless;
    }

    @Override
    public boolean interrupted(Error error) {
        if (error == harmless) {
            return false;
        }
        deaf = true;
        // A message may be missing among them.
        inbox.clear();
        if (state == State.PEER_CLOSED) {
            state = State.OPEN;
        }
        lose(new Loss(interruption(error), error, null));
        breakWire();
        settle();
        return true;
    }

    private void tellEnd(String reason) {
        if (!endTold) {
            endTold = true;
            wire.ended(reason);
        }
    }

    /** So that whatever is under way completes. If it does not, nobody waits for it. */
    private void breakWire() {
        if (!broken) {
            broken = true;
            try {
                wire.toError();
            } catch (VerbsException | IllegalStateException _) {
                // The connection has ended, and why is known.
            }
        }
    }

    // ---- The time ----

    /** Looks at the clock, which is in nanoseconds, after everything that came was taken in. */
    public void look(long now) {
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
        switch (silence.look(now, underWay, slots.lengthUnderWay())) {
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

    /** With all slots taken or claimed, unsignaled posts would never free theirs: a probe reports their end. */
    private void askForEnds() {
        if (!slots.hasFree() && slots.hasUntold() && !probeUnderWay && canPost()) {
            probe();
        }
    }

    /** How long one may sleep before the next look. */
    public long nanosToNextLook() {
        return broken && !slots.isIdle() ? GRACE_NANOS : silence.nanosToNextLook();
    }

    // ---- What follows ----

    /** After each event, or a batch of them: serves those who wait, as far as that is possible now. */
    public void settle() {
        serveRequests();
        if (state == State.OPEN) {
            flush();
            updateCredits();
            askForEnds();
        } else {
            endWaiting();
        }
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
                    // Out of memory, for instance. The message stays, for the next request.
                    failure = e;
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
     * Sends the credits that are owed if they are many, or if the peer has none and at most one message is unread. If
     * the send queue is full, the next event tries again.
     */
    private void updateCredits() {
        // First what is mostly false. A reader that is behind does not grant message by message.
        if ((credits.updateDue() || credits.isPeerOut() && inbox.count() <= 1)
                && canPost()
                && controlsUnderWay < MAX_UPDATES) {
            postControl(Frame.CREDIT);
        }
    }

    private void postControl(int kind) {
        if (posted(wire.postControl(CONTROL, Frame.of(kind, grant())))) {
            controlsUnderWay++;
        }
    }

    private boolean canPost() {
        return state == State.OPEN && closed == null;
    }

    // ---- The end ----

    /** This side is being closed: nobody polls or receives any more, and what waits to be sent goes on. */
    public void beginClosing(IllegalStateException reason) {
        changes++;
        tellEnd("closed by this side");
        awaitEnds();
        slots.stopPolling();
        while (!requests.isEmpty()) {
            decide(requests.peek(), null, reason);
            requests.remove();
        }
        settle();
    }

    /** The last message. */
    public void sayGoodBye() {
        if (canPost()) {
            postControl(Frame.CLOSE);
        }
    }

    /** This side is closed: nothing is posted or completes any more. */
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

    /** Decides a promise; false if the program has taken it back. */
    public boolean decide(Promise<?> promise, Object value, Throwable failure) {
        if (!promise.decide(value, failure)) {
            return false;
        }
        decisions.add(promise);
        changes++;
        return true;
    }

    /** Puts back a promise that was taken out, because completing it failed. */
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
     * Returns whether a sleeping thread must be woken when a post ends. Most programs wait for messages only: ends
     * would wake them twice for each request. A credit update that is still due may have found the send queue full.
     */
    public final boolean awaitsEnds() {
        return endsMatter || !slots.hasFree() || credits.updateDue() || credits.isPeerOut() || !isOpen();
    }

    /** From now on {@link #awaitsEnds}. */
    public final void awaitEnds() {
        endsMatter = true;
    }

    // ---- What the program asks for ----

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

    /** Sends, or says why not now. */
    public final int trySend(MemorySegment message) {
        int code = mayPost(message.byteSize());
        if (code != OK) {
            return code;
        }
        // As postMessage does, which would lie one call deeper: the JDK's copies lie at the limit of what is inlined.
        int slot = slots.take(null, false);
        try {
            wire.fillNext(slot, message);
        } catch (Throwable e) {
            slots.release(slot);
            undone(e);
            throw e;
        }
        credits.spend();
        postFilled(slot, message.byteSize(), mustSignal());
        return isOpen() ? OK : closedOrLost("sending over " + name);
    }

    /** Sends what remains in a buffer, whose position is the limit then, or says why not now. */
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
            undone(e);
            throw e;
        }
        credits.spend();
        postFilled(slot, length, mustSignal());
        message.position(message.limit());
        return isOpen() ? OK : closedOrLost("sending over " + name);
    }

    /** Sends what stays where it is until its end was polled for, or says why not now. */
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
            undone(e);
            throw e;
        }
        credits.spend();
        postFilled(slot, message.length(), true);
        // Also if the post was refused: the refusal is reported as its end.
        return OK;
    }

    /** Whether a message can go at once, or why not. */
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
        if (!hasRoom()) {
            wantsPlace = true;
            return QUEUE_FULL;
        }
        return OK;
    }

    /** Returns whether a refused send can be retried; reported once. */
    final boolean takeRoomAgain() {
        boolean roomAgain = isRoomAgain();
        if (roomAgain) {
            wantsPlace = false;
            wantsCredit = false;
        }
        return roomAgain;
    }

    final boolean isRoomAgain() {
        return (wantsPlace || wantsCredit && credits.available() > 0) && hasRoom();
    }

    /** Sends the first of these, as many as there is room for, with one doorbell; how many. */
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
            wantsPlace |= credits.available() > number;
        }
        if (number > 0) {
            int[] taken = fill(messages, number);
            post(taken, messages);
        }
        return isOpen() ? number : closedOrLost("sending over " + name);
    }

    /** All or none. */
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
            undone(e);
            throw e;
        }
    }

    private void post(int[] taken, List<? extends MemorySegment> messages) {
        wire.beginBatch();
        int posted = 0;
        try {
            for (int i = 0; i < taken.length; i++) {
                credits.spend();
                // The completion of the last one covers all.
                boolean signaled = i == taken.length - 1 || tellsOfMany();
                long length = messages.get(i).byteSize();
                seal(taken[i], length);
                slots.posted(taken[i], length, signaled);
                wire.postMessage(taken[i], Frame.of(Frame.MESSAGE, grantIfDue()), signaled);
            }
        } finally {
            posted = wire.endBatch();
        }
        for (int i = posted; i < taken.length; i++) {
            postedIn(taken[i], wire.batchError());
        }
    }

    /** Takes a place and a credit for a message that the program will write there; -1 if there are none now. */
    public final int claim() {
        if (!isOpen()) {
            throw ended("claiming a message of " + name);
        }
        flush();
        if (credits.available() == 0) {
            wantsCredit = true;
            return -1;
        }
        if (!hasRoom()) {
            wantsPlace = true;
            return -1;
        }
        credits.spend();
        return slots.claim();
    }

    /** The program has written it. */
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

    /** Those that wait before it may wait for its place or its credit, so it gives back both, and waits as they do. */
    private void sendLater(int slot, long length) {
        try {
            MemorySegment copy =
                    MemorySegment.ofArray(wire.buffer(slot).asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
            outbox.add(new Waiting(copy, new Promise<>(null)));
        } finally {
            giveBack(slot);
        }
    }

    /** The program does not want it. */
    public final void giveBack(int slot) {
        slots.giveBack(slot);
        credits.unspend();
        changes++;
        flush();
    }

    /** Whether something can be posted now, with nobody waiting before it. */
    public final boolean hasRoom() {
        return outbox.isEmpty() && slots.hasFree();
    }

    private int closedOrLost(String operation) {
        if (state() == State.PEER_CLOSED) {
            return CLOSED_BY_PEER;
        }
        throw ended(operation);
    }

    public final void sendAsync(MemorySegment message, Promise<Void> promise) {
        checkLength(message);
        endsMatter = true;
        if (!isOpen()) {
            decide(promise, null, ended("sending over " + name));
            return;
        }
        outbox.add(new Waiting(message, promise));
        flush();
    }

    /**
     * Posts a transfer whose end is polled for, or says why not now.
     *
     * @param local null for an atomic operation
     * @param operand of a compare-and-swap what is expected, of a fetch-and-add what is added
     */
    public final int tryTransfer(
            long id, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        if (!isOpen()) {
            return closedOrLost("a transfer of " + name);
        }
        endsMatter = true;
        flush();
        if (!hasRoom()) {
            wantsPlace = true;
            return QUEUE_FULL;
        }
        postTransfer(slots.take(id, operation.hasResult()), operation, local, remote, operand, newValue);
        return OK;
    }

    /** Posts a transfer with a promise; one for which there is no room waits. */
    public final void transferAsync(
            Promise<?> promise,
            Operation operation,
            MemorySlice local,
            RemoteMemory remote,
            long operand,
            long newValue) {
        endsMatter = true;
        flush();
        if (!isOpen()) {
            decide(promise, null, ended("a transfer of " + name));
        } else if (hasRoom()) {
            postTransfer(slots.take(promise, operation.hasResult()), operation, local, remote, operand, newValue);
        } else {
            outbox.add(new Waiting(null, operation, local, remote, operand, newValue, promise));
        }
    }

    // ---- Posting ----

    /**
     * Posts the waiting sends in order, as long as there are slots and credits. Skips those that the program has
     * withdrawn.
     */
    final void flush() {
        while (isOpen() && !outbox.isEmpty()) {
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
        }
    }

    private void postMessage(MemorySegment message, Promise<?> promise) {
        int slot = slots.take(promise, false);
        try {
            wire.fillNext(slot, message);
        } catch (Throwable e) {
            // The segment's arena is closed or confined to another thread.
            slots.release(slot);
            undone(e);
            throw e;
        }
        credits.spend();
        postFilled(slot, message.byteSize(), true);
    }

    /** What the next message grants. */
    private int grantIfDue() {
        return credits.isGrantDue() ? grant() : 0;
    }

    /** Grants all credits that are owed. The adapter gets the buffers before the peer gets the credits. */
    final int grant() {
        posted(wire.postReturned());
        return credits.grant();
    }

    private void postFilled(int slot, long length, boolean signaled) {
        seal(slot, length);
        int frame = Frame.of(Frame.MESSAGE, grantIfDue());
        slots.posted(slot, length, signaled);
        postedIn(slot, wire.postMessage(slot, frame, signaled));
    }

    /** Adds the checksum to a message that is about to be posted. Only {@link SummedProtocol} has checksums. */
    void seal(int slot, long length) {}

    /**
     * Returns whether a message without a promise, whose slot is taken, must be signaled: many before it are not, or no
     * slot is free behind it.
     */
    private boolean mustSignal() {
        return tellsOfMany() || !slots.hasFree();
    }

    /** A completion costs about as much as a post, so several messages share one: as many as half of the places. */
    private boolean tellsOfMany() {
        return endsMatter || slots.hasManyUntold() || allTell;
    }

    private void postTransfer(
            int slot, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        int errno;
        try {
            errno = wire.postTransfer(slot, operation, local, remote, operand, newValue);
        } catch (Throwable e) {
            // A mistake in the arguments, which the queue pair checks.
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

    /** The send queue has an entry for every post, so a refusal never means that the queue is full. */
    final boolean posted(int errno) {
        if (errno != 0) {
            lose("posting failed: " + VerbsException.describe(errno), null);
        }
        return errno == 0;
    }

    /** What waits will never have its turn. */
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
