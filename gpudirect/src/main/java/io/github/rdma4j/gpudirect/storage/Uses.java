// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.base.TimeText;
import java.time.Duration;

/**
 * Counts who is inside something, so that its close can wait for them. A transfer takes microseconds at least, so a
 * lock does not matter here.
 */
final class Uses {
    private static final long PAUSE_MILLIS = 2;

    private int inside;
    private boolean closed;

    /** False if it is closed; else {@link #exit()} must follow. */
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
     * Lets nobody in any more, and waits for those that are inside.
     *
     * @param limit how long at most
     * @param look called now and then: it may find that some are done
     * @return whether nobody is inside
     */
    boolean close(Duration limit, Runnable look) {
        synchronized (this) {
            closed = true;
        }
        long nanos = nanos(limit);
        long start = System.nanoTime();
        boolean interrupted = false;
        try {
            while (true) {
                look.run();
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
                        // The file would be closed under those that are inside.
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

    /** A limit longer than 292 years is one of 292 years. */
    static long nanos(Duration limit) {
        if (limit.isNegative()) {
            throw new IllegalArgumentException("a timeout of " + TimeText.of(limit) + ": zero or more");
        }
        try {
            return limit.toNanos();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }
}
