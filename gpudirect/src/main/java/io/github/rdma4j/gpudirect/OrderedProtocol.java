// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.Arrays;

/**
 * The protocol between streams, a proxy's thread and a queue pair, without threads, clock, driver or adapter. For one
 * thread at a time.
 *
 * <p>Each transfer has a word, and a channel has a doorbell. A stream starts a transfer with four operations on memory,
 * whose values are always the same, so that a graph can repeat them:
 *
 * <ol>
 * <li>wait until the word is {@link #READY}: the previous round of the transfer has ended;
 * <li>wait until the doorbell is {@link #FREE}: the proxy has taken everything that was started before;
 *   <li>write {@link #REQUESTED} to the word;
 *   <li>write the transfer's number to the doorbell.
 * </ol>
 *
 * <p>A stream waits for the transfer by waiting for {@link #READY}. When the proxy sees the doorbell, it checks all
 * words, and frees the doorbell only if it has not changed meanwhile. So starts of one stream are taken in order, and
 * no start is lost when several streams ring at once.
 *
 * <p>Each word that a stream has requested becomes ready in every case: with {@link #FAILED} if the bytes did not
 * arrive. After the first failure, all words become ready with this bit at once.
 */
final class OrderedProtocol {
    /** A value of the doorbell. */
    static final int FREE = 0;
    /** A value of a word, set by the stream. */
    static final int REQUESTED = 1;
    /** A bit of a word, set by the proxy. */
    static final int READY = 2;
    /** A bit of a word, set by the proxy. */
    static final int FAILED = 4;

    /** The number of tags, which distinguish arrivals. */
    static final int TAGS = 256;

    /** How long to wait for the completions of a broken connection: until then the adapter may access memory. */
    static final long END_NANOS = 5_000_000_000L;

    private static final int WRITE = -1;

    /** The memory that streams and the proxy write. */
    interface Words {
        int doorbell();

        /**
         * Frees the doorbell if it still has this value, and returns whether it did. Later reads are ordered after it.
         */
        boolean freeDoorbell(int seen);

        int word(int slot);

        /** Ordered after everything that was written before. */
        void setWord(int slot, int value);

        /** Sets the word that shows kernels the first failure. */
        void setError();
    }

    /** The queue pair. */
    interface Wire {
        /**
         * Posts the request of a slot.
         *
         * @return true if it was posted, false if the queue is full
         * @throws GpuTransferException if it cannot be posted at all
         */
        boolean tryPost(int slot);

        /**
         * Ends the connection. After it returns, the peer's requests no longer access memory, and ours no longer read
         * it.
         */
        void end(GpuTransferException cause);

        /**
         * Flushes arrived bytes, before a stream may read them.
         *
         * @throws GpuTransferException if that fails
         */
        void flush();

        /** Returns the request of a slot in words. */
        String describe(int slot);
    }

    private enum State {
        IDLE,
        /** Taken from the stream, not posted yet. */
        QUEUED,
        POSTED,
        /** An arrival that waits for the peer. */
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
    /** Whether the failure has reached all queued and waiting slots: an error may have interrupted that. */
    private boolean brokenDown;

    /**
     * Creates the protocol of a channel.
     *
     * @param capacity the most transfers
     * @param limitNanos the longest time for a transfer after its request
     * @param now the current time, in nanoseconds with any origin
     */
    OrderedProtocol(Words words, Wire wire, int capacity, long limitNanos, long now) {
        this.words = words;
        this.wire = wire;
        this.limitNanos = limitNanos;
        slots = new Slot[capacity];
        queue = new int[capacity];
        nextCheck = now;
    }

    /** Adds an outgoing transfer. */
    int addWrite() {
        return add(WRITE);
    }

    /** Adds a transfer that waits for the peer. */
    int addArrival(int tag) {
        if (tagged[tag]) {
            throw new IllegalArgumentException("tag %d already has a transfer: use another tag".formatted(tag));
        }
        int slot = add(tag);
        tagged[tag] = true;
        return slot;
    }

    private int add(int tag) {
        if (count == slots.length) {
            throw new IllegalStateException("the channel already has %d transfers: raise StreamChannelConfig.transfers"
                    .formatted(slots.length));
        }
        slots[count] = new Slot(tag);
        words.setWord(count, READY);
        return count++;
    }

    GpuTransferException failure() {
        return failure;
    }

    /** How often streams have started a transfer, as far as the proxy has seen. */
    long taken() {
        return taken;
    }

    /** How often a transfer has succeeded. */
    long completed(int slot) {
        return slots[slot].completed;
    }

    /** Whether the adapter holds any request. */
    boolean hasPosted() {
        return posted > 0;
    }

    /** Whether any transfer that was taken has not ended. */
    boolean isBusy() {
        return posted + waiting + queueLength > 0;
    }

    /** Takes the requests of streams and checks the timeouts. Returns whether anything has moved. */
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

    /** Takes everything that streams have requested. */
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

    /** Called before the request is posted: if an error interrupts the call, the adapter may have taken it. */
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

    /** If an error interrupts it, it has no effect. */
    private void end(int index, Slot slot, boolean through) {
        if (!through) {
            words.setWord(index, READY | FAILED);
            slot.state = State.IDLE;
            return;
        }
        // Counted before the word is set, because a thread that sees the word may read the count.
        slot.completed++;
        try {
            words.setWord(index, READY);
        } catch (Error e) {
            slot.completed--;
            throw e;
        }
        slot.state = State.IDLE;
    }

    /** Handles the completion of a slot's request. The cause is null if it succeeded. */
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

    /** Handles a notification of the peer, with its tag. */
    void arrived(int tag, long now) {
        if (tag < 0 || tag >= TAGS) {
            breakDown(
                    new GpuTransferException(
                            "the peer's write has tag %d, but tags are from 0 to %d".formatted(tag, TAGS - 1)),
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
     * Fails all transfers from now on. A transfer that the adapter still holds fails when the adapter releases it. If
     * an error interrupts this method, the next call or {@link #advance} continues.
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
        // Set before a wait ends, so that kernels after that wait see it.
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
                                ("%s is not complete %d ms after its stream started it, which is the limit"
                                                + " of StreamChannelConfig.timeLimit")
                                        .formatted(wire.describe(i), (now - slot.since) / 1_000_000)),
                        now);
                return true;
            }
        }
        return false;
    }

    /** Called when no more completions arrive. */
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
