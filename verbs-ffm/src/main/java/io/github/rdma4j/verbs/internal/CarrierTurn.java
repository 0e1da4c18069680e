// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.util.concurrent.locks.LockSupport;

/**
 * Makes a virtual thread release its carrier now and then. The JDK preempts no virtual thread, so one whose calls all
 * succeed at once would keep its carrier forever. Other virtual threads would never run, and a platform thread that is
 * behind one of them in the queue of a lock would never get the lock.
 *
 * <p>One object counts the calls on one resource. Not thread-safe: a lost update delays the next turn by a call.
 */
public final class CarrierTurn {
    /**
     * Calls between two turns. Parking costs some 20 µs of CPU time. A prime number, so that the end of a turn does not
     * always hit the same one of several threads that call alternately.
     */
    private static final int CALLS = 251;

    private int calls;

    /** Starts with a full turn. */
    public CarrierTurn() {}

    /** {@return whether this call ends the turn; if so, call {@link #pass()} without any lock} */
    public boolean isOver() {
        if (++calls < CALLS) {
            return false;
        }
        calls = 0;
        return true;
    }

    /**
     * Lets other virtual threads run on the carrier of the calling virtual thread. Does nothing on a platform thread.
     *
     * <p>Parks: after {@link Thread#yield} the same thread can run next again and again (observed with JDK 25). An
     * interrupted thread cannot park.
     */
    public static void pass() {
        Thread thread = Thread.currentThread();
        if (thread.isVirtual()) {
            if (thread.isInterrupted()) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(1);
            }
        }
    }
}
