// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps threads off the cursors of completion queues while queue pairs that complete there are destroyed or reset. From
 * ibv_start_poll to ibv_end_poll providers hold the lock of the completion queue, and they take it to clean the queue
 * of such a queue pair (mlx5, efa and irdma do), and of a shared receive queue whose receives complete there (mlx4 of
 * XRC, mlx5 with tag matching): a thread in the middle of its own way would wait for itself, and one
 * that waited for another, with the lock of the tree, could keep that one from going on.
 *
 * <p>So a way of the calling thread is an exception, one of another thread is waited for without the lock of the tree,
 * and no new one begins meanwhile: who wants to poll then waits. The way over a queue that is closed itself is ended at
 * once.
 */
final class CursorPause {
    private static final long LIMIT_SECONDS = 10;
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final List<ExtendedCompletionQueue> paused = new ArrayList<>();
    private final List<ExtendedCompletionQueue> ended = new ArrayList<>();

    private CursorPause() {}

    /**
     * Runs an action on a resource and what depends on it.
     *
     * @param root is closed or reset
     * @param treeLock of its tree
     * @param action runs with the lock held
     * @throws IllegalStateException if the calling thread has started a cursor that is in the way, or another thread
     *     keeps one for too long
     */
    static void around(Resource root, ReentrantLock treeLock, Runnable action) {
        if (treeLock.isHeldByCurrentThread()) {
            // A part of something that has seen to it.
            action.run();
            return;
        }
        long start = System.nanoTime();
        while (true) {
            ExtendedCompletionQueue busy;
            treeLock.lock();
            try {
                CursorPause pause = new CursorPause();
                try {
                    busy = pause.begin(root);
                    if (busy == null) {
                        action.run();
                        return;
                    }
                } finally {
                    pause.end();
                }
            } finally {
                treeLock.unlock();
            }
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
                throw new IllegalStateException(
                        ("%s cannot be closed or reset: the cursor of %s has been with %s for %d s. Remedy: have it"
                                        + " call CompletionCursor.end()")
                                .formatted(root, busy, busy.cursor().holder(), LIMIT_SECONDS));
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Null, or a queue that another thread polls just now. */
    private ExtendedCompletionQueue begin(Resource root) {
        if (!root.isOpen()) {
            return null;
        }
        Set<ExtendedCompletionQueue> used = new LinkedHashSet<>();
        Set<Resource> closing = new LinkedHashSet<>();
        collect(root, used, closing);
        for (ExtendedCompletionQueue queue : used) {
            if (closing.contains(queue)) {
                continue;
            }
            if (queue.cursor().isHeldByCaller()) {
                throw new IllegalStateException(
                        ("%s cannot be closed or reset: this thread has started the cursor of %s and not ended it."
                                        + " Remedy: call CompletionCursor.end() first")
                                .formatted(root, queue));
            }
            if (!queue.cursor().pause()) {
                return queue;
            }
            paused.add(queue);
        }
        // Last, because it cannot be taken back.
        for (ExtendedCompletionQueue queue : used) {
            if (closing.contains(queue)) {
                queue.endCursor();
                ended.add(queue);
            }
        }
        return null;
    }

    private static void collect(Resource resource, Set<ExtendedCompletionQueue> used, Set<Resource> closing) {
        if (!closing.add(resource)) {
            return;
        }
        if (resource instanceof QueuePair || resource instanceof WorkQueue || resource instanceof SharedReceiveQueue) {
            for (Resource parent : resource.parents()) {
                if (parent instanceof ExtendedCompletionQueue queue) {
                    used.add(queue);
                }
            }
        }
        resource.children(Resource.class).forEach(child -> collect(child, used, closing));
    }

    private void end() {
        paused.forEach(queue -> queue.cursor().resume());
        ended.stream().filter(Resource::isOpen).forEach(ExtendedCompletionQueue::allowCursor);
    }
}
