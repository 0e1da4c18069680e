// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The dependents of a resource, and the threads that create them or close the resource.
 *
 * <p>The lock guards only the fields here. It is never held during a call of the driver, a wait for one, or code of
 * other classes: a stream can wait for a word that only another thread writes, and that thread may need any object of
 * the context.
 */
final class Dependents {
    /** The result of an attempt to close the resource. */
    enum Start {
        /** This thread may close it; {@link #endClosing} must follow. */
        BEGUN,
        /** It is closed, or this thread is already closing it further up the stack. */
        NOTHING_TO_DO,
        /** Another thread is still creating a dependent, or closing the resource, at the timeout. */
        TIMED_OUT
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Dependents that are objects of CUDA. */
    private final LinkedHashSet<AutoCloseable> own = new LinkedHashSet<>();
    /** Dependents of other libraries. */
    private final LinkedHashSet<AutoCloseable> others = new LinkedHashSet<>();
    /** The number of dependents that are being created and not in the sets yet. */
    private int creations;
    /** The thread that is closing the resource; null if there is none. */
    private Thread closer;
    /** Whether new dependents are refused, until {@link #unseal}. */
    private boolean sealed;
    /** Whether everything is closed. */
    private boolean finished;

    /**
     * Called before a dependent is created; {@link #endCreation} must follow. False if the resource is closed or being
     * closed.
     */
    boolean startCreation() {
        lock.lock();
        try {
            boolean accepted = accepts();
            creations += accepted ? 1 : 0;
            return accepted;
        } finally {
            lock.unlock();
        }
    }

    /** Called with the new dependent, or null if its creation failed. */
    void endCreation(CudaResource made) {
        lock.lock();
        try {
            creations--;
            if (made != null) {
                own.add(made);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** False if the resource is closed or being closed. */
    boolean add(AutoCloseable dependent) {
        lock.lock();
        try {
            if (!accepts()) {
                return false;
            }
            setOf(dependent).add(dependent);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private Set<AutoCloseable> setOf(AutoCloseable dependent) {
        return dependent instanceof CudaResource ? own : others;
    }

    /** The thread that closes the resource may add dependents: closing a dependent may create another one. */
    private boolean accepts() {
        return !sealed && (closer == null || closer == Thread.currentThread());
    }

    void remove(AutoCloseable dependent) {
        lock.lock();
        try {
            setOf(dependent).remove(dependent);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the newest dependent that is not in the set, or null if there is none. Dependents of other libraries come
     * before CUDA's own objects: work of a stream can wait for them, and memory must not be freed before that work is
     * done.
     */
    AutoCloseable newestExcept(Set<AutoCloseable> these) {
        lock.lock();
        try {
            AutoCloseable other = newestExcept(these, others);
            return other != null ? other : newestExcept(these, own);
        } finally {
            lock.unlock();
        }
    }

    private static AutoCloseable newestExcept(Set<AutoCloseable> these, LinkedHashSet<AutoCloseable> all) {
        for (AutoCloseable dependent : all.reversed()) {
            if (!these.contains(dependent)) {
                return dependent;
            }
        }
        return null;
    }

    /** Whether a thread is closing the resource now. */
    boolean isClosing() {
        lock.lock();
        try {
            return closer != null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for threads that create dependents or close the resource, until a time of System.nanoTime. Ignores
     * interrupts.
     */
    Start startClosing(long deadline) {
        lock.lock();
        boolean interrupted = false;
        try {
            if (closer == Thread.currentThread()) {
                return Start.NOTHING_TO_DO;
            }
            while (closer != null || creations > 0) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return Start.TIMED_OUT;
                }
                try {
                    changed.await(left, TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (finished) {
                return Start.NOTHING_TO_DO;
            }
            closer = Thread.currentThread();
            return Start.BEGUN;
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Ends a close. If not everything is closed, another close may begin. */
    void endClosing(boolean isFinished) {
        lock.lock();
        try {
            closer = null;
            finished = isFinished;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Refuses new dependents from now on. */
    void seal() {
        setSealed(true);
    }

    void unseal() {
        setSealed(false);
    }

    private void setSealed(boolean now) {
        lock.lock();
        try {
            sealed = now;
        } finally {
            lock.unlock();
        }
    }
}
