// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.internal;

import io.github.rdma4j.base.Timeouts;
import java.time.Duration;

/**
 * Counts the users of a resource, so that its close can wait for them. A use takes microseconds at least, so the cost
 * of a lock does not matter.
 */
public final class Uses {
    private static final long PAUSE_MILLIS = 2;

    private int inside;
    private boolean closed;

    /** {@return false if it is closed; otherwise {@link #exit()} must follow} */
    public synchronized boolean enter() {
        if (closed) {
            return false;
        }
        inside++;
        return true;
    }

    /** Ends a use. */
    public synchronized void exit() {
        inside--;
        if (inside == 0) {
            notifyAll();
        }
    }

    /** {@return whether {@link #close} has been called} */
    public synchronized boolean isClosed() {
        return closed;
    }

    /**
     * Refuses new users, and waits for the present ones.
     *
     * @param limit the longest wait
     * @param poll called repeatedly; it may find that some users are done
     * @return whether there are no users
     */
    public boolean close(Duration limit, Runnable poll) {
        synchronized (this) {
            closed = true;
        }
        long nanos = Timeouts.checkedNanos(limit);
        long start = System.nanoTime();
        boolean interrupted = false;
        try {
            while (true) {
                poll.run();
                synchronized (this) {
                    if (inside == 0) {
                        return true;
                    }
                    if (System.nanoTime() - start >= nanos) {
                        return false;
                    }
                    try {
                        wait(PAUSE_MILLIS);
                    } catch (InterruptedException e) {
                        // Keeps waiting: otherwise the resource would be closed while it is in use.
                        interrupted = true;
                    }
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
