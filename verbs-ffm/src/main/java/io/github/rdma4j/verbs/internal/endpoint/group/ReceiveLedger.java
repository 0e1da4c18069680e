// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import java.util.Arrays;

/**
 * The books of the receive buffers that several endpoints share: which buffers are posted, which wait to be posted, and
 * how many the adapter may have lost.
 *
 * <p>Posting one buffer costs nearly as much as sending a message, so free buffers wait until one call can post
 * several. The queue has as many extra buffers as may wait. So the adapter always has the buffers that the endpoints
 * rely on.
 *
 * <p>A buffer is lost if a queue pair is destroyed in the middle of a message: the adapter has taken the buffer from
 * the queue, and no completion reports it. A queue pair can lose one buffer, because it receives one message at a time.
 * The adapter takes buffers in the order of the queue, so a lost buffer was posted before a buffer that has been used.
 * Every buffer that lags behind in this way may be lost; usually there is none. They are not posted again, because
 * another queue pair may be about to fill them. The queue has spare buffers instead.
 *
 * <p>Thread safety: one thread at a time; see {@link QueueShare}.
 */
final class ReceiveLedger {
    private static final long UNUSED = 0;
    private static final long WAITS = -1;

    /** How many buffers one call posts. */
    private final int together;
    /**
     * The number of the post of each buffer, from 1; {@link #WAITS} for a buffer that waits to be posted, {@link
     * #UNUSED} for a buffer that an endpoint has.
     */
    private long[] posted = {};
    /** The buffers that wait, oldest first. */
    private int[] waiting = {};

    private int waitingCount;
    /** Whether the adapter has refused some buffers of the last call. */
    private boolean refused;

    private int count;
    private long posts;
    /** The number of the latest post whose buffer was used. */
    private long newest;

    /** How many buffers may be lost, as found so far. */
    private int suspects;
    /** Buffers with this post number or a higher one were posted after all losses so far. */
    private long settledFrom;

    /** How many more may be lost, by later events. */
    private int later;

    /**
     * Creates books without a buffer.
     *
     * @param together how many buffers one call posts; at least 1
     */
    ReceiveLedger(int together) {
        this.together = together;
    }

    /** {@return how many buffers there are} */
    int count() {
        return count;
    }

    /** Allocates space for more buffers, so that {@link #add} cannot run out of memory. */
    void reserve(int number) {
        int room = count + number;
        if (room > posted.length) {
            waiting = Arrays.copyOf(waiting, Math.max(room, 2 * posted.length));
            posted = Arrays.copyOf(posted, waiting.length);
        }
    }

    /** Adds buffers, which wait to be posted. */
    void add(int number) {
        reserve(number);
        for (int i = 0; i < number; i++) {
            free(count++);
        }
    }

    /** Makes a buffer wait to be posted. */
    void free(int buffer) {
        if (posted[buffer] != UNUSED) {
            throw new AssertionError("buffer " + buffer + " is posted twice");
        }
        posted[buffer] = WAITS;
        waiting[waitingCount++] = buffer;
    }

    /** Whether enough buffers wait for a call. */
    boolean isPostDue() {
        return waitingCount >= together || refused;
    }

    /** {@return how many buffers wait} */
    int waiting() {
        return waitingCount;
    }

    /** {@return a waiting buffer; index 0 is the oldest} */
    int waiting(int index) {
        return waiting[index];
    }

    /** Records a call that posted all waiting buffers, of which the adapter has accepted the first ones. */
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

    /** Records that the adapter has used a buffer. */
    void used(int buffer) {
        if (posted[buffer] <= 0) {
            throw new AssertionError("buffer " + buffer + " was not posted");
        }
        newest = Math.max(newest, posted[buffer]);
        posted[buffer] = UNUSED;
    }

    /** Records that a queue pair was destroyed, perhaps in the middle of a message. */
    void mayHaveLost() {
        later++;
    }

    /** {@return how many buffers the adapter may have lost, or refuses} */
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
