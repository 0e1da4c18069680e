// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Sends messages that no thread of the program will send soon. Over TCP, threads that send message after message gather
 * them for one system call, and this class sends the last ones of a burst within about a millisecond. Over SRD, it
 * posts messages that had to wait for earlier requests.
 *
 * <p>The first burst starts its only thread, a daemon. The thread ends when there was no burst for some time, and the
 * next burst starts another one, because a running thread would keep the class loader of this library alive.
 */
public final class MessageFlusher {
    /** An output that gathers messages. The flusher reads it without a lock and flushes it with its owner's. */
    public interface Source {
        /** {@return whether there was a burst since the last call} */
        boolean isBusy();

        /** {@return since when messages wait, of {@link System#nanoTime}; 0 if none do} */
        long waitingSince();

        /**
         * Sends what waits, unless another thread has the lock.
         *
         * @param last whether to forget this flusher; the next burst calls {@link MessageFlusher#watch} again
         * @return false if another thread has the lock
         */
        boolean flush(boolean last);
    }

    private static final long TICK_NANOS = TimeUnit.MICROSECONDS.toNanos(400);
    /** An output without a burst in so many ticks is watched no longer. */
    private static final int QUIET_TICKS = 16;

    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final ReentrantLock LOCK = new ReentrantLock();
    /** Sources that are not in the thread's own list yet. Guarded by the lock. */
    private static final List<Source> ADDED = new ArrayList<>();
    /** Null if no thread runs. Guarded by the lock. */
    private static Thread thread;

    /** A source, and for how many ticks it was quiet. */
    private static final class Watched {
        final Source source;
        int quiet;

        Watched(Source source) {
            this.source = source;
        }
    }

    private final List<Watched> watched = new ArrayList<>();

    private MessageFlusher() {}

    /**
     * Flushes an output from now on, until a {@link Source#flush} that says otherwise.
     *
     * @param source the output, which is not watched yet
     */
    public static void watch(Source source) {
        LOCK.lock();
        try {
            ADDED.add(source);
            if (thread == null) {
                thread = start();
            } else {
                LockSupport.unpark(thread);
            }
        } catch (Throwable e) {
            ADDED.remove(source);
            throw e;
        } finally {
            LOCK.unlock();
        }
    }

    /** The thread inherits nothing from the program's thread that happens to be the first. */
    private static Thread start() {
        return Thread.ofPlatform()
                .name("rdma4j-flusher")
                .daemon()
                .inheritInheritableThreadLocals(false)
                .start(new MessageFlusher()::run);
    }

    /** An exception, such as an OutOfMemoryError, must not end the thread, because all endpoints share it. */
    private void run() {
        long idleSince = System.nanoTime();
        while (true) {
            LockSupport.parkNanos(watched.isEmpty() ? IDLE_NANOS : TICK_NANOS);
            long now = System.nanoTime();
            try {
                if (!takeAdded(watched.isEmpty() && now - idleSince >= IDLE_NANOS)) {
                    return;
                }
                if (!watched.isEmpty()) {
                    idleSince = now;
                    watched.removeIf(next -> isDone(next, now));
                }
            } catch (Throwable e) {
                // The next tick tries again.
            }
        }
    }

    /** Returns false if nothing was added and the thread ends. */
    private boolean takeAdded(boolean mayEnd) {
        LOCK.lock();
        try {
            if (ADDED.isEmpty() && mayEnd) {
                thread = null;
                return false;
            }
            while (!ADDED.isEmpty()) {
                watched.add(new Watched(ADDED.getLast()));
                ADDED.removeLast();
            }
            return true;
        } finally {
            LOCK.unlock();
        }
    }

    /** Returns whether to forget a source. The failure of one source does not affect the others. */
    private static boolean isDone(Watched next, long now) {
        try {
            return visit(next, now);
        } catch (Throwable e) {
            return false;
        }
    }

    private static boolean visit(Watched next, long now) {
        next.quiet = next.source.isBusy() ? 0 : next.quiet + 1;
        if (next.quiet >= QUIET_TICKS) {
            return next.source.flush(true);
        }
        long since = next.source.waitingSince();
        if (since != 0 && now - since >= TICK_NANOS) {
            next.source.flush(false);
        }
        return false;
    }
}
