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
 * Pauses the cursors of completion queues while queue pairs that complete there are destroyed or reset. From
 * ibv_start_poll to ibv_end_poll, providers hold the lock of the completion queue. They also take it to remove the
 * completions of a queue pair that goes (mlx5, efa and irdma do), or of a shared receive queue whose receives complete
 * there (mlx4 for XRC, mlx5 with tag matching). So a thread that closes a queue pair during its own poll would wait for
 * itself. A thread that waits for another thread's poll while it holds the lock of the tree could block that poll.
 *
 * <p>Therefore a poll of the calling thread is an exception, and a poll of another thread is waited for without the
 * lock of the tree. No new poll begins meanwhile: threads that want to poll wait. The poll of a queue that is closed
 * itself is ended at once.
 */
final class CursorPause {
    private static final long LIMIT_SECONDS = 10;
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final List<ExtendedCompletionQueue> paused = new ArrayList<>();
    private final List<ExtendedCompletionQueue> ended = new ArrayList<>();

    private CursorPause() {}

    /**
     * Runs an action on a resource and its dependents while no cursor is in use.
     *
     * @param root the resource that is closed or reset
     * @param treeLock the lock of its tree
     * @param action the action, run with the lock held
     * @throws IllegalStateException if the calling thread has started one of the cursors, or another thread does not
     *     end one in time
     */
    static void around(Resource root, ReentrantLock treeLock, Runnable action) {
        if (treeLock.isHeldByCurrentThread()) {
            // Part of an action that has already paused the cursors.
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
                        ("%s cannot be closed or reset: the cursor of %s has been with %s for %d s. Have it"
                                        + " call CompletionCursor.end()")
                                .formatted(root, busy, busy.cursor().holder(), LIMIT_SECONDS));
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Returns null, or a queue that another thread polls now. */
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
                                        + " Call CompletionCursor.end() first")
                                .formatted(root, queue));
            }
            if (!queue.cursor().pause()) {
                return queue;
            }
            paused.add(queue);
        }
        // Last, because it cannot be undone.
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
