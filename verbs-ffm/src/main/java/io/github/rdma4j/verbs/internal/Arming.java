// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Tracks whether a completion queue is armed: whether its next completion makes an event, or has made an event that was
 * not taken. Threads may arm the queue and take its events at the same time, so a flag is not enough. The queue is
 * armed as long as no event has been taken since the arming began, so the class compares the numbers of taken events. A
 * queue that is being armed is not armed yet.
 */
public final class Arming {
    private static final long NEVER = -1;

    private final AtomicLong eventsTaken = new AtomicLong();
    private volatile long armedAfter = NEVER;

    /** {@return how many events of the queue have been taken so far} */
    public long eventsTaken() {
        return eventsTaken.get();
    }

    /**
     * Records that an event was taken: the queue must be armed again.
     *
     * @return how many have been taken so far, including this one
     */
    public long eventTaken() {
        return eventsTaken.incrementAndGet();
    }

    /**
     * Returns whether the queue is armed.
     *
     * @param eventsTaken the number of taken events, read just before
     */
    public boolean isArmed(long eventsTaken) {
        return armedAfter == eventsTaken;
    }

    /**
     * Records that the device has armed the queue.
     *
     * @param eventsTaken the number of taken events, read before the arming
     */
    public void armed(long eventsTaken) {
        armedAfter = eventsTaken;
    }

    /** Resets the state to not armed: a caller that wants events arms again. */
    public void forget() {
        armedAfter = NEVER;
    }
}
