// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether a completion queue is armed: whether the next completion of any kind makes an event, or has made one that
 * nobody has taken. Threads may arm it and take its events at the same time, so a flag would not do. What counts is how
 * many events had been taken when the arming began: as long as no other has been taken since, the queue is armed. A
 * queue that is just being armed is not yet.
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
     * An event has been taken: the queue must be armed again.
     *
     * @return how many have been taken so far, with this one
     */
    public long eventTaken() {
        return eventsTaken.incrementAndGet();
    }

    /**
     * Whether the queue is armed.
     *
     * @param eventsTaken as they were counted just before
     */
    public boolean isArmed(long eventsTaken) {
        return armedAfter == eventsTaken;
    }

    /**
     * The device has been told.
     *
     * @param eventsTaken as they were counted before it was told
     */
    public void armed(long eventsTaken) {
        armedAfter = eventsTaken;
    }

    /** Nothing is known any more: whoever wants events arms anew. */
    public void forget() {
        armedAfter = NEVER;
    }
}
