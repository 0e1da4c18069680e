// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.util.Arrays;

/**
 * The books of the receive buffers that several endpoints share: which the adapter has, and how many it may have lost.
 *
 * <p>A buffer is lost if a queue pair is destroyed in the middle of a message: the adapter has taken it from the queue,
 * and no completion tells. One queue pair can lose one buffer, since it receives one message at a time. The queue is
 * taken from in its order, so a lost buffer is one that was posted before another one that has been used. All that lag
 * behind in this way are as many as can be lost; most often there are none. What may be lost is not posted again, since
 * another queue pair may be about to fill it: the queue has spare buffers instead.
 *
 * <p>Thread safety: one thread at a time; see {@link QueueShare}.
 */
final class ReceiveLedger {
    /** When each was posted, counted from 1; 0 for one that the adapter does not have. */
    private long[] posted = new long[0];

    private int count;
    private long posts;
    /** The latest post whose buffer was used. */
    private long newest;

    /** How many may be lost, as far as was found until now. */
    private int suspects;
    /** Who is used from this post on was behind all that were lost until then. */
    private long settledFrom;

    private int gone;
    /** How many may be lost besides, by what came later. */
    private int later;

    /** How many buffers there are. */
    int count() {
        return count;
    }

    /** More buffers, which the adapter does not have; the number of the first. */
    int add(int number) {
        int first = count;
        count += number;
        if (count > posted.length) {
            posted = Arrays.copyOf(posted, Math.max(count, 2 * posted.length));
        }
        return first;
    }

    /** The adapter gets a buffer. */
    void post(int buffer) {
        if (posted[buffer] != 0) {
            throw new AssertionError("buffer " + buffer + " is posted twice");
        }
        posted[buffer] = ++posts;
    }

    /** The adapter did not take it. */
    void refused(int buffer) {
        posted[buffer] = 0;
    }

    /** The adapter has used a buffer. */
    void used(int buffer) {
        if (posted[buffer] == 0) {
            throw new AssertionError("buffer " + buffer + " was not posted");
        }
        newest = Math.max(newest, posted[buffer]);
        posted[buffer] = 0;
    }

    /** A queue pair is gone that may have been in the middle of a message. */
    void mayHaveLost() {
        later++;
    }

    /** A buffer could not be given back to the adapter. */
    void lose() {
        gone++;
    }

    /** How many buffers the adapter can have lost by now. */
    int lost() {
        if (suspects > 0 && newest > settledFrom) {
            suspects = Math.min(suspects, lagging());
        }
        if (later > 0 && (suspects == 0 || newest > settledFrom)) {
            suspects += later;
            later = 0;
            settledFrom = posts;
        }
        return suspects + later + gone;
    }

    private int lagging() {
        int lagging = 0;
        for (int buffer = 0; buffer < count; buffer++) {
            lagging += posted[buffer] != 0 && posted[buffer] < newest ? 1 : 0;
        }
        return lagging;
    }
}
