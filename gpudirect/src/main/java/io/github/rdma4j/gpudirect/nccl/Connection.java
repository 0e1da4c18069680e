// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaWaitInterruptedException;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A communicator's handle. Serializes calls of NCCL, and tracks calls that NCCL has not finished.
 *
 * <p>There are two locks. {@code calls} serializes the calls, because NCCL allows only one at a time; in blocking mode,
 * a thread may block inside one forever. {@code life} keeps the handle valid during the short call that queries errors,
 * which any waiting thread makes.
 */
final class Connection {
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final Duration ABORT_PATIENCE = Duration.ofSeconds(2);
    private static final String OTHERS_CALL = "a call of another thread on the same communicator";

    /** The order in which the locks of several connections are taken. */
    final long number = NUMBERS.incrementAndGet();

    final Library library;
    final CudaContext context;
    final NcclMode mode;
    final Duration timeout;
    private final ReentrantLock calls = new ReentrantLock();
    private final ReentrantReadWriteLock life = new ReentrantReadWriteLock();
    /** Guarded by {@code calls}. */
    private final List<Pending> pending = new ArrayList<>();

    /**
     * Never closed explicitly: a thread that blocks inside a call may write there long after the communicator was
     * aborted.
     */
    private final Arena arena = Arena.ofAuto();

    private final MemorySegment slot;
    private final MemorySegment errorSlot;
    /** The connections that are being created from this one. Guarded by {@code calls}. */
    private final List<Connection> beingCreated = new ArrayList<>();

    /** The connection from which this one is being created; null once it exists, and if there is none. */
    private volatile Connection origin;
    /** Whether the call that should have created it has failed, or ended with its communicator. */
    private volatile boolean creationFailed;

    /** The state that {@link #isFinished} saw last. Guarded by {@code calls}. */
    private int lastState;

    /** Whether there was a handle that has been released. Guarded by {@code life}. */
    private boolean released;

    private volatile long handle;
    private volatile boolean aborted;
    private volatile boolean closed;

    Connection(Library library, CudaContext context, NcclMode mode, Duration timeout) {
        this.library = library;
        this.context = context;
        this.mode = mode;
        this.timeout = timeout;
        slot = arena.allocate(ValueLayout.JAVA_LONG);
        errorSlot = arena.allocate(ValueLayout.JAVA_INT);
    }

    /** Returns the arena for memory that NCCL reads as long as the communicator exists. */
    Arena arena() {
        return arena;
    }

    /** Returns the address at which NCCL writes the handle. */
    long slot() {
        return slot.address();
    }

    /** Takes the handle that NCCL has written. */
    void opened() {
        opened(slot.get(ValueLayout.JAVA_LONG, 0));
    }

    void opened(long written) {
        handle = written;
    }

    /**
     * Called when the connection from which this one is created has finished, failed or ended. If NCCL has written a
     * handle by now, this one exists; otherwise it never will. If it was closed or aborted meanwhile, ends it.
     */
    private void creationEnded() {
        boolean unwanted;
        life.writeLock().lock();
        try {
            if (!released) {
                opened();
            }
            creationFailed = handle == 0 && !released;
            origin = null;
            unwanted = aborted || closed;
        } finally {
            life.writeLock().unlock();
        }
        if (unwanted) {
            try {
                end(NcclFunction.COMM_ABORT, "ncclCommAbort()", false);
            } catch (NcclException | CudaException e) {
                // No caller waits for the result.
            }
        }
    }

    /** Returns the handle for native calls. The caller holds the lock of the calls. */
    long handle() {
        long now = handle;
        if (now == 0) {
            throw ended();
        }
        return now;
    }

    /** Whether NCCL has created it and not destroyed it. */
    boolean isOpen() {
        return handle != 0;
    }

    /** Whether it is being created from another one, so that NCCL has no handle of it yet. */
    boolean isBeingCreated() {
        Connection maker = origin;
        if (maker != null) {
            maker.poll();
        }
        return origin != null;
    }

    boolean isAborted() {
        return aborted;
    }

    void requireOpen() {
        if (aborted || closed) {
            throw ended();
        }
    }

    private IllegalStateException ended() {
        return new IllegalStateException(
                aborted
                        ? "the communicator was aborted"
                        : closed
                                ? "the communicator is closed"
                                : "the communicator does not exist yet: its group has not ended, or has failed");
    }

    /** Takes the lock of the calls; {@link #unlock} must follow. */
    void lock() {
        if (!tryLock(timeout)) {
            throw new NcclTimeoutException(OTHERS_CALL, timeout);
        }
    }

    /** Takes the lock of the calls. Returns false at the timeout. An interrupt does not end the wait. */
    boolean tryLock(Duration limit) {
        if (calls.tryLock()) {
            return true;
        }
        long nanos = Timeouts.checkedNanos(limit);
        long start = System.nanoTime();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return calls.tryLock(nanos - (System.nanoTime() - start), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Takes the lock of the calls before an operation has begun. An interrupt ends the wait if another thread has the
     * lock.
     */
    void lockUnlessInterrupted(Duration limit) {
        try {
            if (!calls.tryLock() && !calls.tryLock(Timeouts.checkedNanos(limit), TimeUnit.NANOSECONDS)) {
                throw new NcclTimeoutException(OTHERS_CALL, limit);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CudaWaitInterruptedException("waiting for " + OTHERS_CALL);
        }
    }

    void unlock() {
        calls.unlock();
    }

    /**
     * Called with the lock after NCCL was asked to create another communicator from this one. The child's handle is not
     * valid before this one has finished.
     */
    void addChild(Connection child) {
        child.origin = this;
        beingCreated.add(child);
    }

    /** Returns the communicator's current state, a number of NcclStatus. */
    int state() {
        if (isBeingCreated()) {
            return NcclStatus.IN_PROGRESS.number();
        }
        return creationFailed ? NcclStatus.INVALID_USAGE.number() : queryState();
    }

    private int queryState() {
        life.readLock().lock();
        try {
            if (handle == 0) {
                throw ended();
            }
            synchronized (errorSlot) {
                library.check(
                        library.calls().pair(NcclFunction.COMM_GET_ASYNC_ERROR, handle, errorSlot.address()),
                        "ncclCommGetAsyncError()",
                        handle);
                return errorSlot.get(ValueLayout.JAVA_INT, 0);
            }
        } finally {
            life.readLock().unlock();
        }
    }

    /** Called with the lock: NCCL has accepted a call that uses memory. */
    void add(Pending taken) {
        pending.add(taken);
        Pending.began(this);
    }

    /**
     * Called with the lock. Waits until NCCL has finished the earlier calls.
     *
     * @param call in words
     * @param limit the longest wait
     * @throws NcclException if they have failed
     */
    void settle(Step.Call call, Duration limit) {
        // The first check allocates nothing, and is nearly always enough.
        settle(call, limit, isFinished() || Limits.await(this::isFinished, limit));
    }

    /**
     * Called with the lock. Waits until NCCL has finished the earlier calls, at most for the limit after the start by
     * System.nanoTime. An interrupt ends the wait.
     */
    void settleUnlessInterrupted(Step.Call call, Duration limit, long start) {
        Duration left = Duration.ofNanos(Math.max(0, Timeouts.checkedNanos(limit) - (System.nanoTime() - start)));
        settle(call, limit, Limits.awaitUnlessInterrupted(this::isFinished, left, "waiting for " + call.words()));
    }

    private boolean isFinished() {
        if (aborted) {
            throw ended();
        }
        lastState = state();
        return lastState != NcclStatus.IN_PROGRESS.number();
    }

    private void settle(Step.Call call, Duration limit, boolean over) {
        if (!over) {
            throw new NcclTimeoutException(call.words(), limit);
        }
        finish();
        library.check(lastState, call, handle);
    }

    /** Called with the lock. Returns whether NCCL has finished, without waiting. {@link #settle} reports failures. */
    private boolean isSettled() {
        int now = state();
        if (now == NcclStatus.IN_PROGRESS.number()) {
            return false;
        }
        finish();
        return true;
    }

    private void finish() {
        if (!pending.isEmpty()) {
            pending.forEach(Pending::finish);
            pending.clear();
            Pending.ended(this);
        }
        // Each call may end a connection, which calls this method again.
        List<Connection> children = List.copyOf(beingCreated);
        beingCreated.clear();
        children.forEach(Connection::creationEnded);
    }

    /** Checks whether NCCL has finished, if no thread is inside a call. */
    void poll() {
        if (calls.tryLock()) {
            try {
                if (isOpen()) {
                    isSettled();
                } else {
                    // It was aborted during a call of another thread, which has ended.
                    finish();
                }
            } finally {
                calls.unlock();
            }
        }
    }

    /**
     * Calls ncclCommAbort, which ends a call of NCCL in which another thread blocks. A thread that waits in this
     * library leaves first.
     */
    void abort() {
        aborted = true;
        boolean alone = tryLock(ABORT_PATIENCE);
        try {
            end(NcclFunction.COMM_ABORT, "ncclCommAbort()", alone);
        } finally {
            if (alone) {
                calls.unlock();
            }
        }
    }

    /** Called with the lock. Calls ncclCommDestroy. */
    void destroy() {
        closed = true;
        end(NcclFunction.COMM_DESTROY, "ncclCommDestroy()", true);
    }

    /** Passes no handle for the error text, because the communicator no longer exists. */
    private void giveBack(NcclFunction function, String call, long last) {
        library.check(library.calls().call(function, last), call, 0);
    }

    private void end(NcclFunction function, String call, boolean alone) {
        long last;
        life.writeLock().lock();
        try {
            last = handle;
            handle = 0;
            released |= last != 0;
        } finally {
            life.writeLock().unlock();
        }
        try {
            if (last != 0) {
                try {
                    context.makeCurrentForCall();
                } catch (RuntimeException e) {
                    // This is the last chance to release the handle.
                    Undo.after(e, () -> giveBack(function, call, last));
                    throw e;
                }
                giveBack(function, call, last);
            }
        } finally {
            if (alone) {
                finish();
            }
        }
    }
}
