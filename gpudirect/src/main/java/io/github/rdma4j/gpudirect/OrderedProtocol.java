// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.Arrays;

/**
 * The protocol between streams, a proxy's thread and a wire, without threads, clock, driver or adapter. For one thread
 * at a time.
 *
 * <p>Each transfer has a word, and a channel has a doorbell. A stream starts a transfer by four operations on memory,
 * whose values are the same each time, so that a graph can repeat them:
 *
 * <ol>
 *   <li>wait until the word is {@link #READY}: the transfer is not under way;
 *   <li>wait until the doorbell is {@link #FREE}: what was started before it was taken;
 *   <li>write {@link #REQUESTED} to the word;
 *   <li>write the transfer's number to the doorbell.
 * </ol>
 *
 * <p>It waits for the transfer by waiting for {@link #READY}. The proxy that sees the doorbell checks all words, and
 * frees the doorbell only if it has not changed meanwhile. So starts of one stream are taken in order, and none is lost
 * when several streams ring at once.
 *
 * <p>Whatever happens, each word that a stream has requested becomes ready: with {@link #FAILED} if the bytes did not
 * come through. From the first failure on all do so at once.
 */
final class OrderedProtocol {
    /** Of the doorbell. */
    static final int FREE = 0;
    /** Of a word: by the stream. */
    static final int REQUESTED = 1;
    /** Of a word: a bit, by the proxy. */
    static final int READY = 2;
    /** Of a word: another bit. */
    static final int FAILED = 4;

    /** The tags that distinguish arrivals. */
    static final int TAGS = 256;

    /** How long completions of a broken connection are waited for: until then the adapter may touch memory. */
    static final long END_NANOS = 5_000_000_000L;

    private static final int WRITE = -1;

    /** What streams and the proxy write. */
    interface Words {
        int doorbell();

        /** Frees the doorbell, if it is still as it was seen; whether it was. Orders what is read after it. */
        boolean freeDoorbell(int seen);

        int word(int slot);

        /** Behind all that was written before. */
        void setWord(int slot, int value);

        /** The word in which kernels see the first failure. */
        void setError();
    }

    /** The wire. */
    interface Wire {
        /**
         * Posts what a slot stands for.
         *
         * @return true if it was posted, false if the queue is full
         * @throws GpuTransferException if it cannot be posted at all
         */
        boolean tryPost(int slot);

        /** Nothing of the peer's may be written to memory, and nothing of ours read, once this has returned. */
        void end(GpuTransferException cause);

        /**
         * Before a stream may read what has arrived.
         *
         * @throws GpuTransferException if that cannot be had
         */
        void flush();

        /** What a slot stands for, for people. */
        String describe(int slot);
    }

    private enum State {
        IDLE,
        /** Taken, not posted yet. */
        QUEUED,
        POSTED,
        /** For an arrival. */
        WAITING
    }

    private static final class Slot {
        final int tag;
        State state = State.IDLE;
        long since;
        /** Read by any thread. */
        volatile long completed;

        Slot(int tag) {
            this.tag = tag;
        }
    }

    private final Words words;
    private final Wire wire;
    private final long limitNanos;
    private final Slot[] slots;
    private int count;

    /** Slots to be posted, in the order in which they were taken. */
    private final int[] queue;

    private int queueHead;
    private int queueLength;

    private final int[] arrivals = new int[TAGS];
    private final boolean[] tagged = new boolean[TAGS];
    private int posted;
    private int waiting;
    private long nextCheck;
    private long brokenAt;
    private volatile long taken;
    private volatile GpuTransferException failure;
    /** Whether the failure has reached all that was queued or waiting: an error may have interrupted that. */
    private boolean brokenDown;

    /**
     * The protocol of a channel.
     *
     * @param capacity the most transfers
     * @param limitNanos how long one may take from its request on
     * @param now the clock's time, in nanoseconds from any beginning
     */
    OrderedProtocol(Words words, Wire wire, int capacity, long limitNanos, long now) {
        this.words = words;
        this.wire = wire;
        this.limitNanos = limitNanos;
        slots = new Slot[capacity];
        queue = new int[capacity];
        nextCheck = now;
    }

    /** A transfer that leaves. */
    int addWrite() {
        return add(WRITE);
    }

    /** One that waits for the peer. */
    int addArrival(int tag) {
        if (tagged[tag]) {
            throw new IllegalArgumentException(
                    "tag %d has a transfer already: each tag is waited for by one".formatted(tag));
        }
        int slot = add(tag);
        tagged[tag] = true;
        return slot;
    }

    private int add(int tag) {
        if (count == slots.length) {
            throw new IllegalStateException(
                    "the channel has all its %d transfers: set StreamChannelConfig.transfers to more"
                            .formatted(slots.length));
        }
        slots[count] = new Slot(tag);
        words.setWord(count, READY);
        return count++;
    }

    GpuTransferException failure() {
        return failure;
    }

    /** How often streams have started a transfer, as far as that was seen. */
    long taken() {
        return taken;
    }

    /** How often a transfer has come through. */
    long completed(int slot) {
        return slots[slot].completed;
    }

    /** Whether the adapter has something of it. */
    boolean hasPosted() {
        return posted > 0;
    }

    /** Whether anything that was taken is not at its end. */
    boolean isBusy() {
        return posted + waiting + queueLength > 0;
    }

    /** Looks at what streams have requested, and at the clock; whether anything has moved. */
    boolean advance(long now) {
        boolean moved = false;
        if (failure != null && !brokenDown) {
            breakDown(failure, now);
            moved = true;
        }
        for (int bell = words.doorbell(); bell != FREE; bell = words.doorbell()) {
            moved |= take(now);
            if (words.freeDoorbell(bell)) {
                moved = true;
                break;
            }
        }
        moved |= post(now);
        if (now - nextCheck >= 0) {
            moved |= check(now);
        }
        return moved;
    }

    /** Takes all that is requested. */
    private boolean take(long now) {
        boolean any = false;
        for (int i = 0; i < count; i++) {
            Slot slot = slots[i];
            if (slot.state == State.IDLE && words.word(i) == REQUESTED) {
                any = true;
                slot.since = now;
                start(i, slot);
            }
        }
        return any;
    }

    private void start(int index, Slot slot) {
        if (failure != null) {
            words.setWord(index, READY | FAILED);
            taken = taken + 1;
        } else if (slot.tag == WRITE) {
            slot.state = State.QUEUED;
            taken = taken + 1;
            queue[(queueHead + queueLength) % queue.length] = index;
            queueLength++;
        } else {
            slot.state = State.WAITING;
            waiting++;
            taken = taken + 1;
            deliver(index, slot, slot.since);
        }
    }

    private boolean post(long now) {
        boolean moved = false;
        while (queueLength > 0) {
            int index = queue[queueHead];
            beginPost(index);
            try {
                if (!wire.tryPost(index)) {
                    undoPost(index);
                    return moved;
                }
            } catch (GpuTransferException e) {
                undoPost(index);
                breakDown(e, now);
                return true;
            }
            moved = true;
        }
        return moved;
    }

    /** Before the call: if an error interrupts it, the adapter may have the transfer. */
    private void beginPost(int index) {
        queueHead = (queueHead + 1) % queue.length;
        queueLength--;
        slots[index].state = State.POSTED;
        posted++;
    }

    private void undoPost(int index) {
        queueHead = (queueHead + queue.length - 1) % queue.length;
        queueLength++;
        slots[index].state = State.QUEUED;
        posted--;
    }

    private void deliver(int index, Slot slot, long now) {
        if (arrivals[slot.tag] == 0) {
            return;
        }
        try {
            wire.flush();
        } catch (GpuTransferException e) {
            breakDown(e, now);
            return;
        }
        end(index, slot, true);
        arrivals[slot.tag]--;
        waiting--;
    }

    /** If an error interrupts it, nothing has happened. */
    private void end(int index, Slot slot, boolean through) {
        if (!through) {
            words.setWord(index, READY | FAILED);
            slot.state = State.IDLE;
            return;
        }
        // Before the word, as a thread that sees the word may ask for the count.
        slot.completed++;
        try {
            words.setWord(index, READY);
        } catch (Error e) {
            slot.completed--;
            throw e;
        }
        slot.state = State.IDLE;
    }

    /** The completion of what was posted for a slot; null if it went well. */
    void completed(int index, GpuTransferException cause, long now) {
        if (cause != null) {
            breakDown(cause, now);
        }
        Slot slot = slots[index];
        if (slot.state == State.POSTED) {
            end(index, slot, cause == null);
            posted--;
        }
    }

    /** The peer has written something, and said so with a tag. */
    void arrived(int tag, long now) {
        if (tag < 0 || tag >= TAGS) {
            breakDown(
                    new GpuTransferException(
                            "the peer's write came with tag %d, and there are tags 0 to %d".formatted(tag, TAGS - 1)),
                    now);
            return;
        }
        if (failure != null) {
            return;
        }
        arrivals[tag]++;
        for (int i = 0; i < count && tagged[tag]; i++) {
            Slot slot = slots[i];
            if (slot.tag == tag && slot.state == State.WAITING) {
                deliver(i, slot, now);
                return;
            }
        }
    }

    /**
     * From now on all transfers fail. A transfer that the adapter still holds fails when the adapter releases it. After
     * an error in this method, the next call or {@link #advance} continues.
     */
    void breakDown(GpuTransferException cause, long now) {
        if (brokenDown) {
            return;
        }
        if (failure == null) {
            brokenAt = now;
            nextCheck = now + END_NANOS;
            failure = cause;
        }
        // Kernels behind a wait that ends because of this see it.
        words.setError();
        wire.end(failure);
        queueLength = 0;
        waiting = 0;
        for (int i = 0; i < count; i++) {
            Slot slot = slots[i];
            if (slot.state == State.QUEUED || slot.state == State.WAITING) {
                end(i, slot, false);
            }
        }
        brokenDown = true;
    }

    private boolean check(long now) {
        if (failure != null) {
            if (now - brokenAt < END_NANOS) {
                nextCheck = brokenAt + END_NANOS;
                return false;
            }
            nextCheck = now + END_NANOS;
            return abandonPosts();
        }
        nextCheck = now + Math.max(1, limitNanos / 16);
        if (!isBusy()) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            Slot slot = slots[i];
            if (slot.state != State.IDLE && now - slot.since >= limitNanos) {
                breakDown(
                        new GpuTransferException(
                                ("%s is not done %d ms after its stream has asked for it, which is the limit"
                                                + " of StreamChannelConfig.timeLimit")
                                        .formatted(wire.describe(i), (now - slot.since) / 1_000_000)),
                        now);
                return true;
            }
        }
        return false;
    }

    /** No completions come any more. */
    boolean abandonPosts() {
        boolean any = posted > 0;
        for (int i = 0; i < count; i++) {
            if (slots[i].state == State.POSTED) {
                end(i, slots[i], false);
            }
        }
        posted = 0;
        return any;
    }

    /** {@return the states, for tests} */
    @Override
    public String toString() {
        return Arrays.toString(
                        Arrays.stream(slots, 0, count).map(slot -> slot.state).toArray())
                + (failure == null ? "" : " broken");
    }
}
