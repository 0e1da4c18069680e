// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol.State;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Supplier;

/**
 * The half of {@link Protocol} that sends: messages and transfers in the order of the calls, as far as there are places
 * in the send queue and, for messages, credits. What is asked for by a promise waits for its turn; the rest is told
 * that there is no room.
 */
public abstract sealed class SendingHalf extends WireEvents permits Protocol {
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

    /** What a method that tries gives: it is posted. */
    public static final int OK = 0;
    /** The peer has no free receive buffer. */
    public static final int NO_CREDIT = 1;
    /** There is no free place in the send queue. */
    public static final int QUEUE_FULL = 2;
    /** The peer has closed. */
    public static final int CLOSED_BY_PEER = -1;

    final String name;
    final Wire wire;
    final Credits credits;
    final Slots slots;
    /** Counts up with everything that somebody can have waited for. */
    long changes;

    private final int maxMessage;
    private final ArrayDeque<Waiting> outbox = new ArrayDeque<>();
    /** The program was told that the peer has no free buffer, and not that it has one again. */
    private boolean wantsCredit;
    /** The program was told that the send queue has no place, and not that it has one again. */
    private boolean wantsPlace;
    /** The wire tells of every end. */
    private final boolean allTell;
    /** Somebody has waited for the end of something, as some programs do again and again, or closes. */
    private boolean endsMatter;

    SendingHalf(String name, Wire wire, Credits credits, Slots slots, int maxMessage) {
        this.name = name;
        this.wire = wire;
        this.allTell = !wire.canPostUnsignaled();
        this.credits = credits;
        this.slots = slots;
        this.maxMessage = maxMessage;
    }

    public abstract VerbsException ended(String operation);

    public abstract void lose(String reason, VerbsException cause);

    public abstract void refuse(int slot, RuntimeException failure);

    public abstract boolean decide(Promise<?> promise, Object value, Throwable failure);

    /** Nothing has happened in a method that a failure ends: the connection need not be lost by it. */
    public abstract void undone(Throwable failure);

    abstract boolean isHarmless(Error error);

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
     * Whether a thread that sleeps must hear when something that was posted has ended. Most programs wait for messages
     * only: they would be woken twice for each question that they ask or answer. Credits that are due could not be
     * sent, for want of room.
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
        // Also if it was refused: that is told as its end.
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

    /** Whether there is room again for what there was none for; told once. */
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
                // The last one tells of all.
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
                    MemorySegment.ofArray(wire.room(slot).asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
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
     * Posts what has been waiting, in its order, as far as there is room. What its program has taken back is not
     * posted.
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

    /** Grants all that is owed: buffers that the adapter has before the peer can hear of them. */
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

    /** A message that is about to be posted gets what belongs behind it: nothing, but for {@link SummedProtocol}. */
    void seal(int slot, long length) {}

    /**
     * Whether a message without a promise, whose place is taken, must tell of its end: if many before it do not, or
     * nothing is free behind it.
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

    /** The send queue is as long as need be, so a refusal is not for want of room. */
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
