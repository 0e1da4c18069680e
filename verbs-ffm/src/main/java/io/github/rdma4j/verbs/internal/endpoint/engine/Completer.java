// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.verbs.internal.BiasedLock;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.util.ArrayList;
import java.util.List;

/**
 * Completes promises without the lock of {@link Engine}, because the completing thread runs what the program has
 * chained to a future.
 */
final class Completer {
    /** How deep waiting callbacks may be nested before they no longer run the callbacks of others. */
    static final int MAX_NESTED = 32;

    private final BiasedLock lock;
    private final Protocol protocol;
    private final Runnable announcement;
    /** The threads that are completing promises; a thread that is listed twice waits in a callback. */
    private final List<Thread> threads = new ArrayList<>();

    /**
     * Creates it.
     *
     * @param announcement runs with the lock held, before the lock is released
     */
    Completer(BiasedLock lock, Protocol protocol, Runnable announcement) {
        this.lock = lock;
        this.protocol = protocol;
        this.announcement = announcement;
    }

    /** How many callbacks this thread is in, one in the other. With the lock held. */
    int nesting() {
        if (threads.isEmpty()) {
            return 0;
        }
        int depth = 0;
        for (Thread thread : threads) {
            depth += thread == Thread.currentThread() ? 1 : 0;
        }
        return depth;
    }

    /**
     * Completes the decided promises, one at a time, so that a slow callback delays no other thread. Without the lock.
     *
     * @param own the promise before which it stops, because the next call completes it; null if there is none
     */
    void complete(Promise<?> own, int allowedNesting) {
        lock.lock();
        try {
            if (nesting() > allowedNesting) {
                return;
            }
            threads.add(Thread.currentThread());
            try {
                completeUpTo(protocol.decisions().last(), own);
            } finally {
                threads.remove(Thread.currentThread());
                announcement.run();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Called with the lock held; releases it while a promise completes. */
    private void completeUpTo(Promise<?> last, Promise<?> own) {
        Promise<?> promise;
        do {
            promise = protocol.decisions().first() == own
                    ? null
                    : protocol.decisions().take();
            if (promise != null) {
                lock.unlock();
                try {
                    promise.handOver();
                } catch (Throwable e) {
                    // Out of memory: another try comes later.
                    lock.lock();
                    try {
                        protocol.completeAgain(promise);
                    } finally {
                        lock.unlock();
                    }
                    throw e;
                } finally {
                    lock.lock();
                }
            }
        } while (promise != null && promise != last);
    }
}
