// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * The places in the send queue that the program can fill: which are free, who waits for the others, and which are done
 * and wait to be polled. Only the books; the buffers are of {@link SendBuffers}.
 */
final class Slots {
    /** Nobody uses it. */
    private static final byte FREE = 0;
    /** A transfer or a message; the promise, if there is one, gets nothing. */
    private static final byte PLAIN = 1;
    /** Something that leaves a value, as an atomic operation does; the promise gets it. */
    private static final byte ATOMIC = 2;
    /** A transfer with an id, which {@link #takeDone()} will give. */
    private static final byte POLLED = 3;
    /** The same for an atomic operation. */
    private static final byte POLLED_ATOMIC = 4;
    /** The program is writing a message there. */
    private static final byte CLAIMED = 5;

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
    /** What is under way, in the order of the posts, in which it completes. */
    private final int[] posts;

    /** By slot: how long what is under way is, in bytes. */
    private final long[] lengths;
    /** By slot: whether it tells of its end only by the end of something that was posted behind it. */
    private final boolean[] unsignaled;

    private int firstPost;
    private int postCount;
    /** Those at the end that are not signaled: nothing that was posted will tell of them. */
    private int untold;
    /** How many were posted in all. */
    private long posted;

    private boolean nobodyPolls;
    private boolean abandoned;

    Slots(int depth) {
        kinds = new byte[depth];
        promises = new Promise<?>[depth];
        ids = new long[depth];
        failures = new RuntimeException[depth];
        free = new int[depth];
        done = new int[depth];
        posts = new int[depth];
        lengths = new long[depth];
        unsignaled = new boolean[depth];
        for (int i = depth - 1; i >= 0; i--) {
            free[freeCount++] = i;
        }
    }

    int depth() {
        return kinds.length;
    }

    boolean hasFree() {
        return freeCount > 0;
    }

    int freeCount() {
        return freeCount;
    }

    /**
     * Whether nothing is under way whose end will be told. What is done and was not polled does not count, nor what the
     * program writes.
     */
    boolean isIdle() {
        return freeCount + doneCount + claimedCount + untold == free.length;
    }

    /** Whether what was posted since the last one that tells of its end is half of all: then the next one must. */
    boolean hasManyUntold() {
        return untold >= kinds.length / 2;
    }

    /** Whether there is something under way whose end nothing will tell, unless something is posted behind it. */
    boolean hasUntold() {
        return untold > 0;
    }

    /** How many were posted in all, for {@link #completeUntold}. */
    long posted() {
        return posted;
    }

    /** Takes a slot for something that a promise waits for, or nobody. */
    int take(Promise<?> promise, boolean atomic) {
        int slot = free[--freeCount];
        kinds[slot] = atomic ? ATOMIC : PLAIN;
        if (promise != null) {
            promises[slot] = promise;
        }
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
    int claimed() {
        return claimedCount;
    }

    /** The program has written it, and nobody waits for its end. */
    void send(int slot) {
        kinds[slot] = PLAIN;
        claimedCount--;
    }

    /** The program does not need it. */
    void giveBack(int slot) {
        claimedCount--;
        release(slot);
    }

    /**
     * What was taken is under way.
     *
     * @param signaled whether its end is told
     */
    void posted(int slot, long length, boolean signaled) {
        posts[place(postCount++)] = slot;
        lengths[slot] = length;
        unsignaled[slot] = !signaled;
        untold = signaled ? 0 : untold + 1;
        posted++;
    }

    private int place(int index) {
        int place = firstPost + index;
        return place < posts.length ? place : place - posts.length;
    }

    /** How long the oldest of what is under way is, in bytes; 0 if there is nothing. */
    long lengthUnderWay() {
        return postCount == 0 ? 0 : lengths[posts[firstPost]];
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
     * What was posted in a slot has completed, and with it what was posted before it and is not signaled. If it throws,
     * for want of memory, it can be called again.
     */
    void complete(int slot, RuntimeException failure, Protocol protocol) {
        if (abandoned) {
            return;
        }
        int oldest = oldestOr(slot);
        while (oldest != slot && unsignaled[oldest]) {
            finish(oldest, null, protocol);
            removeOldest();
            oldest = oldestOr(slot);
        }
        finish(slot, failure, protocol);
        // Mostly it is the oldest one.
        for (int i = 0; i < postCount; i++) {
            if (posts[place(i)] == slot) {
                removePost(i);
                break;
            }
        }
    }

    private int oldestOr(int slot) {
        return postCount == 0 ? slot : posts[firstPost];
    }

    private void removePost(int index) {
        for (int i = index; i > 0; i--) {
            posts[place(i)] = posts[place(i - 1)];
        }
        removeOldest();
    }

    private void removeOldest() {
        firstPost = place(1);
        postCount--;
        untold = Math.min(untold, postCount);
    }

    /** Something else has completed, which was posted when so many of these had been: with it those not signaled. */
    void completeUntold(long postedBefore, Protocol protocol) {
        while (!abandoned && postCount > 0 && posted - postCount < postedBefore && unsignaled[posts[firstPost]]) {
            finish(posts[firstPost], null, protocol);
            removeOldest();
        }
    }

    /** What was to be posted in a slot was refused: it will not complete. */
    void refuse(int slot, RuntimeException failure, Protocol protocol) {
        if (abandoned) {
            return;
        }
        finish(slot, failure, protocol);
        for (int i = postCount - 1; i >= 0; i--) {
            if (posts[place(i)] == slot) {
                removePost(i);
                break;
            }
        }
    }

    private void finish(int slot, RuntimeException failure, Protocol protocol) {
        if (kinds[slot] == PLAIN && promises[slot] == null) {
            // Most messages: nobody waits for the end.
            release(slot);
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
                Promise<?> promise = promises[slot];
                if (promise != null) {
                    Long original = kinds[slot] == ATOMIC && failure == null ? (Long) protocol.word(slot) : null;
                    protocol.decide(promise, original, failure);
                }
                release(slot);
            }
        }
    }

    /** Fails what is under way: if its completions come after all, nobody hears of them. */
    void abandon(RuntimeException failure, Protocol protocol) {
        for (int slot = 0; slot < kinds.length; slot++) {
            if (kinds[slot] != FREE && kinds[slot] != CLAIMED && !isDone(slot)) {
                finish(slot, failure, protocol);
            }
        }
        postCount = 0;
        untold = 0;
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

    boolean hasDone() {
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

    long id(int slot) {
        return ids[slot];
    }

    RuntimeException failure(int slot) {
        return failures[slot];
    }

    /** Whether the transfer in a slot leaves a value, in its buffer. */
    boolean hasResult(int slot) {
        return kinds[slot] == POLLED_ATOMIC && failures[slot] == null;
    }
}
