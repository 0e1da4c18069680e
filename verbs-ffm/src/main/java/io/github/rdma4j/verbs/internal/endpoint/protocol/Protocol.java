// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.promise.Decisions;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import java.util.ArrayDeque;

/**
 * The endpoint protocol as a state machine: one method for each thing that can happen, which are calls of the program,
 * completions, the end of the connection, and the time. What follows is posted to a {@link Wire}, or decides a {@link
 * Promise} that {@link #decisions} gives out, or counts up {@link #changes}, and then whoever waits looks again. What
 * it inherits is the half that sends.
 *
 * <p>No threads, no locks, no waiting, no verbs: the floor above has those, and two of these machines play against each
 * other in a simulation. After an exception the machine is in order, and the same event may be given again. After an
 * {@link Error} it is in order only if {@link #isHarmless}; else the floor above calls {@link #interrupted}.
 */
public sealed class Protocol extends SendingHalf permits SummedProtocol {
    /** In the id of a work request: it is a receive, and the rest is its buffer. Of others, the id is the slot. */
    public static final long RECEIVE = 1L << 33;
    /** The id of credit updates and of the close. */
    public static final long CONTROL = 1L << 32;
    /** The id of what asks for a sign of life. */
    public static final long PROBE = 1L << 34;
    /** What the send queue must hold beside the slots: updates, the close, and a probe. */
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
        super(name, wire, credits, new Slots(sendDepth), maxMessage);
        this.exceptions = exceptions;
        this.inbox = new Inbox(credits.buffers() + Credits.RESERVE);
        this.bufferSize = bufferSize;
        this.silence = silence;
    }

    @Override
    public State state() {
        return state;
    }

    /** The promises that are decided and still to be told. */
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
    @Override
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
     * Whether the program has something to do: a message to read, a transfer to poll, the end to hear of, or, which is
     * told once, to try again what there was no room for.
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

    /** A transfer that was polled for gives its slot to whoever waits for one. */
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
        silence.heard();
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
    @Override
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

    @Override
    public void undone(Throwable failure) {
        if (failure instanceof Error error) {
            harmless = error;
        }
    }

    @Override
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

    /** Nothing is free, and what is under way would not tell when it is: the program writes in the other places. */
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
     * Sends the credits that are owed, if they are many, or the peer has none and nothing but the next message is to be
     * read, and if there is room; if there is none, the next event will try again.
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

    @Override
    public void refuse(int slot, RuntimeException failure) {
        slots.refuse(slot, failure, this);
    }

    /** Decides a promise; false if the program has taken it back. */
    @Override
    public boolean decide(Promise<?> promise, Object value, Throwable failure) {
        if (!promise.decide(value, failure)) {
            return false;
        }
        decisions.add(promise);
        changes++;
        return true;
    }

    /** Telling this promise, which was taken out, has failed. */
    public void tellAgain(Promise<?> promise) {
        decisions.putBack(promise);
        changes++;
    }
}
