// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The dependents of a resource, and the threads that add to them or close the resource.
 *
 * <p>The lock guards the fields here and nothing else. It is held for some instructions, never over a call of the
 * driver, a wait for it, or code of others: a stream can wait for a word that only a call of another thread writes, and
 * that thread may need any object of the context for it.
 */
final class Dependents {
    /** How far somebody who wants to close the resource comes. */
    enum Start {
        /** It is this thread's turn; {@link #endClosing} must follow. */
        BEGUN,
        /** It is closed, or this very thread is closing it further up. */
        NOTHING_TO_DO,
        /** Another thread is creating something, or closing it, for longer than the limit. */
        TIME_IS_OVER
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Of CUDA. */
    private final LinkedHashSet<AutoCloseable> own = new LinkedHashSet<>();
    /** Of other libraries. */
    private final LinkedHashSet<AutoCloseable> others = new LinkedHashSet<>();
    /** How many are being made that are not among them yet. */
    private int creations;
    /** The thread that is closing the resource; null if there is none. */
    private Thread closer;
    /** Whether nothing comes any more, until {@link #unseal}. */
    private boolean sealed;
    /** Whether nothing is left to be closed. */
    private boolean finished;

    /** Before something is made; {@link #endCreation} must follow. False if the resource is closed or being closed. */
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

    /** With what was made, or null. */
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

    /** The thread that closes the resource may add: what it closes may make something on its way. */
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
     * The youngest dependent that is not among these; null if there is none. Dependents of other libraries come before
     * CUDA's own objects: work of a stream can wait for them, and memory must not be freed before it is done.
     */
    AutoCloseable youngestBut(Set<AutoCloseable> these) {
        lock.lock();
        try {
            AutoCloseable other = youngestBut(these, others);
            return other != null ? other : youngestBut(these, own);
        } finally {
            lock.unlock();
        }
    }

    private static AutoCloseable youngestBut(Set<AutoCloseable> these, LinkedHashSet<AutoCloseable> all) {
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

    /** Waits for those who are creating or closing, until a time by System.nanoTime. An interrupt changes nothing. */
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
                    return Start.TIME_IS_OVER;
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

    /** Whether nothing is left to be closed; if something is, somebody may begin again. */
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

    /** From now on nothing comes any more. */
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
