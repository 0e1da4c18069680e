// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;

/**
 * The books of the send queue's slots: which are free, which promise waits for each of the others, and which are done
 * and wait to be polled. The wire has the buffers.
 */
public final class Slots {
    /** The slot is free, or has a message without a promise, as most have. */
    private static final byte ALONE = 0;
    /** A transfer or a message, whose promise gets no value. */
    private static final byte PLAIN = 1;
    /** An atomic operation, whose promise gets the original value. */
    private static final byte ATOMIC = 2;
    /** A transfer with an id, which {@link #takeDone()} will return. */
    private static final byte POLLED = 3;
    /** An atomic operation with an id, which {@link #takeDone()} will return. */
    private static final byte POLLED_ATOMIC = 4;
    /** The program is writing a message. */
    private static final byte CLAIMED = 5;

    /** Marks a post in {@link #posts} without a completion of its own; the end of a later post implies its end. */
    private static final long UNSIGNALED = 1L << 63;
    /** A post in {@link #posts} has its length above its slot. */
    private static final int LENGTH_SHIFT = 16;

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
     * The posts under way, in the order of the posts and completions. The lowest bits of a post's number are its index,
     * so the length is a power of two.
     */
    private final long[] posts;

    /** The number of all posts, and of completed posts, which is the number of the oldest post under way. */
    private long posted;

    private long completed;
    /** One more than the number of the last post that is signaled or known to have ended. */
    private long reportedUpTo;

    /** After so many unsignaled posts, the next one must be signaled. */
    private int mostUnsignaled;

    private boolean nobodyPolls;
    private boolean abandoned;

    Slots(int depth) {
        mostUnsignaled = depth / 2;
        kinds = new byte[depth];
        promises = new Promise<?>[depth];
        ids = new long[depth];
        failures = new RuntimeException[depth];
        free = new int[depth];
        done = new int[depth];
        posts = new long[Math.max(1, Integer.highestOneBit(depth - 1) << 1)];
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
     * Returns whether no post is under way. Posts that are done and not polled, and claimed slots, do not count.
     */
    public boolean isIdle() {
        return abandoned || freeCount + doneCount + claimedCount + unsignaled() == free.length;
    }

    /** {@return the number of unsignaled posts behind the last signaled one, whose end no post so far will report} */
    private long unsignaled() {
        return posted - reportedUpTo;
    }

    /**
     * Whether half of the slots were posted since the last signaled post, or {@link #signalEach()} was called. The next
     * post must then be signaled.
     */
    boolean hasManyUnsignaled() {
        return unsignaled() >= mostUnsignaled;
    }

    /** From now on, each post must be signaled. */
    void signalEach() {
        mostUnsignaled = 0;
    }

    /** Whether a post is under way whose end is not reported unless something is posted behind it. */
    boolean hasUnsignaled() {
        return unsignaled() > 0;
    }

    /** {@return the number of all posts, for {@link #completeUnsignaled}} */
    long posted() {
        return posted;
    }

    /** Takes a slot for a request with a promise, or with null. */
    int take(Promise<?> promise, boolean atomic) {
        if (promise == null) {
            return takeAlone();
        }
        int slot = free[--freeCount];
        kinds[slot] = atomic ? ATOMIC : PLAIN;
        promises[slot] = promise;
        return slot;
    }

    /** Takes a slot for a message without a promise. */
    int takeAlone() {
        return free[--freeCount];
    }

    /** Takes a slot for a transfer whose end is polled. */
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

    /** {@return the number of claimed slots} */
    public int claimed() {
        return claimedCount;
    }

    /** Makes a claimed slot a message without a promise. */
    void send(int slot) {
        kinds[slot] = ALONE;
        claimedCount--;
    }

    /** Returns a claimed slot. */
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
        long post = length << LENGTH_SHIFT | slot;
        posts[place(posted++)] = signaled ? post : post | UNSIGNALED;
        if (signaled) {
            reportedUpTo = posted;
        }
    }

    private static int slotOf(long post) {
        return (int) post & (1 << LENGTH_SHIFT) - 1;
    }

    private int place(long number) {
        return (int) number & posts.length - 1;
    }

    /** {@return the length of the oldest post under way, in bytes; 0 if there is none} */
    long lengthUnderWay() {
        return posted == completed ? 0 : (posts[place(completed)] & ~UNSIGNALED) >> LENGTH_SHIFT;
    }

    /** Frees a slot. The checks cost less than the stores, and most slots have neither. */
    void release(int slot) {
        kinds[slot] = ALONE;
        if (promises[slot] != null) {
            promises[slot] = null;
        }
        if (failures[slot] != null) {
            failures[slot] = null;
        }
        free[freeCount++] = slot;
    }

    /**
     * Completes the post in a slot, and the unsignaled posts before it. If this throws for lack of memory, it can be
     * called again.
     */
    void complete(int slot, RuntimeException failure, Protocol protocol) {
        if (abandoned) {
            return;
        }
        while (posted != completed) {
            long oldest = posts[place(completed)];
            if (oldest >= 0 || slotOf(oldest) == slot) {
                break;
            }
            finish(slotOf(oldest), null, protocol);
            completed++;
        }
        reportedUpTo = Math.max(reportedUpTo, completed);
        // Usually it is the oldest one.
        for (long number = completed; number != posted; number++) {
            if (slotOf(posts[place(number)]) == slot) {
                finish(slot, failure, protocol);
                removePost(number);
                return;
            }
        }
        throw new IllegalStateException("a completion of slot " + slot + ", which is free");
    }

    private void removePost(long number) {
        for (long i = number; i != completed; i--) {
            posts[place(i)] = posts[place(i - 1)];
        }
        completed++;
        reportedUpTo = Math.max(reportedUpTo, completed);
    }

    /** Completes the unsignaled posts before a probe that has completed; it was posted after so many posts. */
    void completeUnsignaled(long postedBefore, Protocol protocol) {
        while (!abandoned && completed != posted && completed < postedBefore && posts[place(completed)] < 0) {
            finish(slotOf(posts[place(completed)]), null, protocol);
            completed++;
            reportedUpTo = Math.max(reportedUpTo, completed);
        }
    }

    /** Ends the post in a slot that was refused, and so never completes. */
    void refuse(int slot, RuntimeException failure, Protocol protocol) {
        if (abandoned) {
            return;
        }
        finish(slot, failure, protocol);
        for (long number = posted - 1; number >= completed; number--) {
            if (slotOf(posts[place(number)]) == slot) {
                removePost(number);
                break;
            }
        }
    }

    private void finish(int slot, RuntimeException failure, Protocol protocol) {
        if (kinds[slot] == ALONE) {
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
            default -> {
                Long original = kinds[slot] == ATOMIC && failure == null ? (Long) protocol.word(slot) : null;
                protocol.decide(promises[slot], original, failure);
                release(slot);
            }
        }
    }

    /** Fails everything under way. Later completions are ignored, and nothing takes a slot any more. */
    void abandon(RuntimeException failure, Protocol protocol) {
        for (int slot = 0; slot < kinds.length; slot++) {
            if (kinds[slot] != ALONE && kinds[slot] != CLAIMED && !isDone(slot)) {
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

    /** Called when the endpoint is closed: transfers that are done free their slots without a poll. */
    void stopPolling() {
        nobodyPolls = true;
        while (doneCount > 0) {
            release(takeDone());
        }
    }

    public boolean hasDone() {
        return doneCount > 0;
    }

    /** Whether a transfer whose end is polled is under way or done. */
    boolean hasPolled() {
        for (byte kind : kinds) {
            if (kind == POLLED || kind == POLLED_ATOMIC) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the slot of the oldest transfer that is done and not polled; -1 if there is none. Release it afterwards.
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

    /** Whether the transfer in a slot has a result in its buffer. */
    boolean hasResult(int slot) {
        return kinds[slot] == POLLED_ATOMIC && failures[slot] == null;
    }
}
