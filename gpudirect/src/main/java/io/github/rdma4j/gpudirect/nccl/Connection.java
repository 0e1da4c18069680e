// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

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
 * A communicator's handle. It serialises calls of NCCL and tracks those that NCCL has not finished.
 *
 * <p>Two locks. {@code calls} orders the calls, of which NCCL takes one at a time; in blocking mode a thread may be
 * held inside one for ever. {@code life} keeps the handle valid for the short call that asks for errors, which a
 * thread makes that watches, and which ends with an abort.
 */
final class Connection {
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final Duration ABORT_PATIENCE = Duration.ofSeconds(2);
    private static final String OTHERS_CALL = "a call of another thread on the same communicator";

    /** In this order locks of several are taken. */
    final long number = NUMBERS.incrementAndGet();

    final Library library;
    final CudaContext context;
    final NcclMode mode;
    final Duration timeout;
    private final ReentrantLock calls = new ReentrantLock();
    private final ReentrantReadWriteLock life = new ReentrantReadWriteLock();
    /** Under {@code calls}. */
    private final List<Pending> pending = new ArrayList<>();

    /** Nobody closes it: a thread that is held inside a call may write there when the communicator is long aborted. */
    private final Arena arena = Arena.ofAuto();

    private final MemorySegment slot;
    private final MemorySegment errorSlot;
    /** Those that are being made of this one. Under {@code calls}. */
    private final List<Connection> making = new ArrayList<>();

    /** The connection from which this one is being made; null once it exists, and if there is none. */
    private volatile Connection origin;
    /** Whether the call that should have made it has failed, or ended with its communicator. */
    private volatile boolean lost;

    /** What {@link #isThrough} has seen; with the lock. */
    private int lastState;

    /** Once there was a handle, and it was given back. Under {@code life}. */
    private boolean over;

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

    /** For what NCCL reads while the communicator is there. */
    Arena arena() {
        return arena;
    }

    /** Where NCCL writes the handle. */
    long slot() {
        return slot.address();
    }

    /** NCCL has written the handle. */
    void opened() {
        opened(slot.get(ValueLayout.JAVA_LONG, 0));
    }

    void opened(long written) {
        handle = written;
    }

    /**
     * The connection from which this one is made has finished, failed or ended. If NCCL has written a handle by now,
     * this one exists; otherwise it never will. If it was given up meanwhile, it is ended here.
     */
    private void made() {
        boolean givenUp;
        life.writeLock().lock();
        try {
            if (!over) {
                opened();
            }
            lost = handle == 0 && !over;
            origin = null;
            givenUp = aborted || closed;
        } finally {
            life.writeLock().unlock();
        }
        if (givenUp) {
            try {
                end(NcclFunction.COMM_ABORT, "ncclCommAbort()", false);
            } catch (NcclException | CudaException e) {
                // Nobody waits for it.
            }
        }
    }

    /** For native calls, with the calls' lock. */
    long handle() {
        long now = handle;
        if (now == 0) {
            throw ended();
        }
        return now;
    }

    /** Whether NCCL knows it. */
    boolean isOpen() {
        return handle != 0;
    }

    /** Whether it is being made of another one: NCCL has no handle of it yet. */
    boolean isBeingMade() {
        Connection maker = origin;
        if (maker != null) {
            maker.look();
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
                                : "the communicator is not there yet: its group has" + " not ended, or has failed");
    }

    /** Lets nobody else call; {@link #unlock} must follow. */
    void lock() {
        if (!tryLock(timeout)) {
            throw new NcclTimeoutException(OTHERS_CALL, timeout);
        }
    }

    /** Takes the lock; false if the time is over first. An interrupt does not end the wait. */
    boolean tryLock(Duration limit) {
        if (calls.tryLock()) {
            return true;
        }
        long nanos = Limits.nanos(limit);
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

    /** Takes the lock where nothing has begun: an interrupt ends the wait, unless nobody else has the lock. */
    void lockUnlessInterrupted(Duration limit) {
        try {
            if (!calls.tryLock() && !calls.tryLock(Limits.nanos(limit), TimeUnit.NANOSECONDS)) {
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
     * Called with the lock after NCCL was asked to make another communicator from this one. Do not use its handle
     * before this one has finished.
     */
    void makes(Connection child) {
        child.origin = this;
        making.add(child);
    }

    /** What NCCL says of the communicator now: a number of NcclStatus. */
    int state() {
        if (isBeingMade()) {
            return NcclStatus.IN_PROGRESS.number();
        }
        return lost ? NcclStatus.INVALID_USAGE.number() : askState();
    }

    private int askState() {
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

    /** With the lock: NCCL has taken something that holds memory. */
    void add(Pending taken) {
        pending.add(taken);
        Pending.began(this);
    }

    /**
     * With the lock: waits until NCCL is through with the calls before.
     *
     * @param call in words
     * @param limit how long at most
     * @throws NcclException if they have failed
     */
    void settle(Step.Call call, Duration limit) {
        // The first look allocates nothing, and nearly always it is enough.
        settle(call, limit, isThrough() || Limits.await(this::isThrough, limit));
    }

    /**
     * With the lock: waits until NCCL is through with the calls before, from a start by System.nanoTime. An interrupt
     * ends the wait.
     */
    void settleUnlessInterrupted(Step.Call call, Duration limit, long start) {
        Duration left = Duration.ofNanos(Math.max(0, Limits.nanos(limit) - (System.nanoTime() - start)));
        settle(call, limit, Limits.awaitUnlessInterrupted(this::isThrough, left, "waiting for " + call.words()));
    }

    private boolean isThrough() {
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

    /** With the lock, and without a wait: whether NCCL is through. Failures are left for {@link #settle}. */
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
        // Each may end one, which may come here again.
        List<Connection> children = List.copyOf(making);
        making.clear();
        children.forEach(Connection::made);
    }

    /** Looks whether NCCL is through, if nobody is inside a call. */
    void look() {
        if (calls.tryLock()) {
            try {
                if (isOpen()) {
                    isSettled();
                } else {
                    // It was aborted under a call of another thread, which is over now.
                    finish();
                }
            } finally {
                calls.unlock();
            }
        }
    }

    /**
     * ncclCommAbort. A thread that is held inside a call of NCCL leaves it by that; one that waits in this library does
     * so first.
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

    /** With the lock: ncclCommDestroy. */
    void destroy() {
        closed = true;
        end(NcclFunction.COMM_DESTROY, "ncclCommDestroy()", true);
    }

    /** Its text is not asked for: the communicator is gone. */
    private void giveBack(NcclFunction function, String call, long last) {
        library.check(library.calls().call(function, last), call, 0);
    }

    private void end(NcclFunction function, String call, boolean alone) {
        long last;
        life.writeLock().lock();
        try {
            last = handle;
            handle = 0;
            over |= last != 0;
        } finally {
            life.writeLock().unlock();
        }
        try {
            if (last != 0) {
                try {
                    context.makeCurrentForCall();
                } catch (RuntimeException e) {
                    // This is the last chance to release it.
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
