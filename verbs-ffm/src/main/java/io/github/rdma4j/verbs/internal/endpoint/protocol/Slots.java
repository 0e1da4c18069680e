// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;

/**
 * The places in the send queue that the program can fill: which are free, who waits for the others, and which are done
 * and wait to be polled. Only the books; the buffers are of the wire.
 */
public final class Slots {
    /** Nobody uses it. */
    private static final byte FREE = 0;
    /** A transfer or a message whose promise gets nothing. */
    private static final byte PLAIN = 1;
    /** Something that leaves a value, as an atomic operation does; the promise gets it. */
    private static final byte ATOMIC = 2;
    /** A transfer with an id, which {@link #takeDone()} will give. */
    private static final byte POLLED = 3;
    /** An atomic operation with an id, which {@link #takeDone()} will give. */
    private static final byte POLLED_ATOMIC = 4;
    /** The program is writing a message there. */
    private static final byte CLAIMED = 5;
    /** A message, and nobody waits for its end: most are. */
    private static final byte ALONE = 6;

    /** In {@link #posts}: has no completion of its own; the end of a later post implies its end. */
    private static final int UNSIGNALED = 1 << 31;

    private final byte[] kinds;
    private final Promise<?>[] promises;
    private final long[] ids;
    private final RuntimeException[] failures;
    private final int[] free;
    private int freeCount;
    private int claimedCount;
    private final int[] done;
    private int firstDone;
    private int doneCount;
    /**
     * The slots of the posts under way, in the order in which they were posted and complete. The last bits of a post's
     * number are its index, so the length is a power of two.
     */
    private final int[] posts;

    /** By slot: how long what is under way is, in bytes. */
    private final long[] lengths;

    /** How many were posted in all, and of those, how many have completed: the number of the oldest under way. */
    private long posted;

    private long completed;
    /** The number behind the last post that is signaled, or that is known to have ended. */
    private long reportedUpTo;

    /** Of all places. */
    private final int half;

    private boolean nobodyPolls;
    private boolean abandoned;

    Slots(int depth) {
        half = depth / 2;
        kinds = new byte[depth];
        promises = new Promise<?>[depth];
        ids = new long[depth];
        failures = new RuntimeException[depth];
        free = new int[depth];
        done = new int[depth];
        posts = new int[Math.max(1, Integer.highestOneBit(depth - 1) << 1)];
        lengths = new long[depth];
        for (int i = depth - 1; i >= 0; i--) {
            free[freeCount++] = i;
        }
    }

    boolean hasFree() {
        return freeCount > 0;
    }

    int freeCount() {
        return freeCount;
    }

    /**
     * Returns whether no end will be reported any more. Does not count posts that are done and not polled, nor slots
     * that the program writes.
     */
    public boolean isIdle() {
        return freeCount + doneCount + claimedCount + untold() == free.length;
    }

    /** The unsignaled posts behind the last signaled one: nothing posted so far will report their end. */
    private long untold() {
        return posted - reportedUpTo;
    }

    /** Returns whether the posts since the last signaled one are half of all: then the next one must be signaled. */
    boolean hasManyUntold() {
        return untold() >= half;
    }

    /** Returns whether a post is under way whose end will not be reported unless something is posted behind it. */
    boolean hasUntold() {
        return untold() > 0;
    }

    /** How many were posted in all, for {@link #completeUntold}. */
    long posted() {
        return posted;
    }

    /** Takes a slot for something that a promise waits for, or nobody. */
    int take(Promise<?> promise, boolean atomic) {
        if (promise == null) {
            return takeAlone();
        }
        int slot = free[--freeCount];
        kinds[slot] = atomic ? ATOMIC : PLAIN;
        promises[slot] = promise;
        return slot;
    }

    /** Takes a slot for a message for whose end nobody waits. */
    int takeAlone() {
        int slot = free[--freeCount];
        kinds[slot] = ALONE;
        return slot;
    }

    /** Takes a slot for a transfer that will be polled for. */
    int take(long id, boolean atomic) {
        int slot = free[--freeCount];
        kinds[slot] = atomic ? POLLED_ATOMIC : POLLED;
        ids[slot] = id;
        return slot;
    }

    /** Takes a slot for a message that the program will write. */
    int claim() {
        int slot = free[--freeCount];
        kinds[slot] = CLAIMED;
        claimedCount++;
        return slot;
    }

    /** How many the program is writing. */
    public int claimed() {
        return claimedCount;
    }

    /** The program has written it, and nobody waits for its end. */
    void send(int slot) {
        kinds[slot] = ALONE;
        claimedCount--;
    }

    /** The program does not need it. */
    void giveBack(int slot) {
        claimedCount--;
        release(slot);
    }

    /**
     * Records that a taken slot was posted.
     *
     * @param signaled whether it has a completion of its own
     */
    void posted(int slot, long length, boolean signaled) {
        posts[place(posted++)] = signaled ? slot : slot | UNSIGNALED;
        lengths[slot] = length;
        if (signaled) {
            reportedUpTo = posted;
        }
    }

    private int place(long number) {
        return (int) number & posts.length - 1;
    }

    /** How long the oldest of what is under way is, in bytes; 0 if there is nothing. */
    long lengthUnderWay() {
        return posted == completed ? 0 : lengths[posts[place(completed)] & ~UNSIGNALED];
    }

    /** Nobody needs the slot any more. To look costs less than to store: most have neither. */
    void release(int slot) {
        kinds[slot] = FREE;
        if (promises[slot] != null) {
            promises[slot] = null;
        }
        if (failures[slot] != null) {
            failures[slot] = null;
        }
        free[freeCount++] = slot;
    }

    /**
     * The post in a slot has completed, and with it the unsignaled posts before it. If it throws for lack of memory, it
     * can be called again.
     */
    void complete(int slot, RuntimeException failure, Protocol protocol) {
        if (abandoned) {
            return;
        }
        while (posted != completed) {
            int oldest = posts[place(completed)];
            if (oldest >= 0 || oldest == (slot | UNSIGNALED)) {
                break;
            }
            finish(oldest & ~UNSIGNALED, null, protocol);
            completed++;
        }
        reportedUpTo = Math.max(reportedUpTo, completed);
        finish(slot, failure, protocol);
        // Mostly it is the oldest one.
        for (long number = completed; number != posted; number++) {
            if ((posts[place(number)] & ~UNSIGNALED) == slot) {
                removePost(number);
                break;
            }
        }
    }

    private void removePost(long number) {
        for (long i = number; i != completed; i--) {
            posts[place(i)] = posts[place(i - 1)];
        }
        completed++;
        reportedUpTo = Math.max(reportedUpTo, completed);
    }

    /** Something else has completed, which was posted when so many of these had been: with it those not signaled. */
    void completeUntold(long postedBefore, Protocol protocol) {
        while (!abandoned && completed != posted && completed < postedBefore && posts[place(completed)] < 0) {
            finish(posts[place(completed)] & ~UNSIGNALED, null, protocol);
            completed++;
            reportedUpTo = Math.max(reportedUpTo, completed);
        }
    }

    /** The post in a slot was refused: it will not complete. */
    void refuse(int slot, RuntimeException failure, Protocol protocol) {
        if (abandoned) {
            return;
        }
        finish(slot, failure, protocol);
        for (long number = posted - 1; number >= completed; number--) {
            if ((posts[place(number)] & ~UNSIGNALED) == slot) {
                removePost(number);
                break;
            }
        }
    }

    private void finish(int slot, RuntimeException failure, Protocol protocol) {
        if (kinds[slot] == ALONE) {
            kinds[slot] = FREE;
            free[freeCount++] = slot;
            return;
        }
        switch (kinds[slot]) {
            case POLLED, POLLED_ATOMIC -> {
                if (nobodyPolls) {
                    release(slot);
                } else {
                    failures[slot] = failure;
                    int end = firstDone + doneCount++;
                    done[end < done.length ? end : end - done.length] = slot;
                }
            }
            case FREE -> throw new IllegalStateException("a completion of slot " + slot + ", which is free");
            default -> {
                Long original = kinds[slot] == ATOMIC && failure == null ? (Long) protocol.word(slot) : null;
                protocol.decide(promises[slot], original, failure);
                release(slot);
            }
        }
    }

    /** Fails what is under way: completions that come after all are ignored. */
    void abandon(RuntimeException failure, Protocol protocol) {
        for (int slot = 0; slot < kinds.length; slot++) {
            if (kinds[slot] != FREE && kinds[slot] != CLAIMED && !isDone(slot)) {
                finish(slot, failure, protocol);
            }
        }
        completed = posted;
        reportedUpTo = posted;
        abandoned = true;
    }

    private boolean isDone(int slot) {
        for (int i = 0; i < doneCount; i++) {
            if (done[(firstDone + i) % done.length] == slot) {
                return true;
            }
        }
        return false;
    }

    /** The endpoint is being closed: what is done frees its slot without being polled for. */
    void stopPolling() {
        nobodyPolls = true;
        while (doneCount > 0) {
            release(takeDone());
        }
    }

    public boolean hasDone() {
        return doneCount > 0;
    }

    /** Whether a transfer that can be polled for is under way or done. */
    boolean hasPolled() {
        for (byte kind : kinds) {
            if (kind == POLLED || kind == POLLED_ATOMIC) {
                return true;
            }
        }
        return false;
    }

    /**
     * The slot of the transfer that was done first and has not been polled; -1 if there is none. Release it afterwards.
     */
    int takeDone() {
        if (doneCount == 0) {
            return -1;
        }
        int slot = done[firstDone];
        firstDone = firstDone + 1 == done.length ? 0 : firstDone + 1;
        doneCount--;
        return slot;
    }

    public long id(int slot) {
        return ids[slot];
    }

    public RuntimeException failure(int slot) {
        return failures[slot];
    }

    /** Whether the transfer in a slot leaves a value, in its buffer. */
    boolean hasResult(int slot) {
        return kinds[slot] == POLLED_ATOMIC && failures[slot] == null;
    }
}
