// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import java.util.Arrays;

/**
 * The books of the receive buffers that several endpoints share: which the adapter has, which wait to be given to it,
 * and how many it may have lost.
 *
 * <p>A call that gives the adapter one buffer costs nearly as much as the one that sends a message. So buffers that are
 * free wait until there are some for one call. The queue has as many beyond those that its endpoints rely on as may
 * wait: the adapter never has fewer than without waiting, whoever holds how many.
 *
 * <p>A buffer is lost if a queue pair is destroyed in the middle of a message: the adapter has taken it from the queue,
 * and no completion reports it. One queue pair can lose one buffer, since it receives one message at a time. The
 * adapter takes buffers in the order of the queue, so a lost buffer is one that was posted before another one that has
 * been used. All that lag behind in this way may be lost; most often there are none. They are not posted again, since
 * another queue pair may be about to fill them: the queue has spare buffers instead.
 *
 * <p>Thread safety: one thread at a time; see {@link QueueShare}.
 */
final class ReceiveLedger {
    private static final long UNUSED = 0;
    private static final long WAITS = -1;

    /** How many are given to the adapter by one call. */
    private final int together;
    /**
     * When each was posted, counted from 1; {@link #WAITS} for one that waits to be posted, {@link #UNUSED} for one
     * that is with an endpoint.
     */
    private long[] posted = {};
    /** Those that wait, oldest first. */
    private int[] waiting = {};

    private int waitingCount;
    /** The adapter has not taken all that it was given the last time. */
    private boolean refused;

    private int count;
    private long posts;
    /** The latest post whose buffer was used. */
    private long newest;

    /** How many may be lost, as far as was found until now. */
    private int suspects;
    /** A buffer posted from here on was behind all that were lost until then. */
    private long settledFrom;

    /** How many may be lost besides, by what came later. */
    private int later;

    /**
     * Books without a buffer.
     *
     * @param together how many are given to the adapter by one call, from 1 on
     */
    ReceiveLedger(int together) {
        this.together = together;
    }

    /** How many buffers there are. */
    int count() {
        return count;
    }

    /** Makes room for so many more, so that {@link #add} needs no memory. */
    void reserve(int number) {
        int room = count + number;
        if (room > posted.length) {
            waiting = Arrays.copyOf(waiting, Math.max(room, 2 * posted.length));
            posted = Arrays.copyOf(posted, waiting.length);
        }
    }

    /** More buffers, which wait for the adapter. */
    void add(int number) {
        reserve(number);
        for (int i = 0; i < number; i++) {
            free(count++);
        }
    }

    /** A buffer waits for the adapter. */
    void free(int buffer) {
        if (posted[buffer] != UNUSED) {
            throw new AssertionError("buffer " + buffer + " is posted twice");
        }
        posted[buffer] = WAITS;
        waiting[waitingCount++] = buffer;
    }

    /** Whether it is time to give the adapter what waits. */
    boolean isPostDue() {
        return waitingCount >= together || refused;
    }

    /** How many wait. */
    int waiting() {
        return waitingCount;
    }

    /** One of those that wait, the oldest one first. */
    int waiting(int index) {
        return waiting[index];
    }

    /** The adapter was given all that wait, and has taken the first of them. */
    void posted(int accepted) {
        for (int i = 0; i < accepted; i++) {
            posted[waiting[i]] = ++posts;
        }
        waitingCount -= accepted;
        refused = waitingCount > 0;
        if (refused) {
            System.arraycopy(waiting, accepted, waiting, 0, waitingCount);
        }
    }

    /** The adapter has used a buffer. */
    void used(int buffer) {
        if (posted[buffer] <= 0) {
            throw new AssertionError("buffer " + buffer + " was not posted");
        }
        newest = Math.max(newest, posted[buffer]);
        posted[buffer] = UNUSED;
    }

    /** A queue pair is gone that may have been in the middle of a message. */
    void mayHaveLost() {
        later++;
    }

    /** How many buffers the adapter can have lost by now, or does not take. */
    int lost() {
        if (suspects > 0 && newest > settledFrom) {
            suspects = Math.min(suspects, lagging());
        }
        if (later > 0 && (suspects == 0 || newest > settledFrom)) {
            suspects += later;
            later = 0;
            settledFrom = posts;
        }
        return suspects + later + (refused ? waitingCount : 0);
    }

    private int lagging() {
        int lagging = 0;
        for (int buffer = 0; buffer < count; buffer++) {
            lagging += posted[buffer] > 0 && posted[buffer] < newest ? 1 : 0;
        }
        return lagging;
    }
}
