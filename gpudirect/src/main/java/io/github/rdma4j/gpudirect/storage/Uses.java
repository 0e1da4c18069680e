// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.base.Timeouts;
import java.time.Duration;

/**
 * Counts the users of a resource, so that its close can wait for them. A transfer takes microseconds at least, so the
 * cost of a lock does not matter.
 */
final class Uses {
    private static final long PAUSE_MILLIS = 2;

    private int inside;
    private boolean closed;

    /** Returns false if it is closed; otherwise {@link #exit()} must follow. */
    synchronized boolean enter() {
        if (closed) {
            return false;
        }
        inside++;
        return true;
    }

    synchronized void exit() {
        inside--;
        if (inside == 0) {
            notifyAll();
        }
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /**
     * Refuses new users, and waits for the present ones.
     *
     * @param limit the longest wait
     * @param poll called repeatedly; it may find that some users are done
     * @return whether there are no users
     */
    boolean close(Duration limit, Runnable poll) {
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
                        // Keeps waiting: otherwise the file would be closed while it is in use.
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
