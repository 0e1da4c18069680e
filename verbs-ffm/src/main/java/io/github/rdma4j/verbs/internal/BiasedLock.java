// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.base.UseGuard;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that costs little for a thread that takes it alone, as an event loop does.
 *
 * <p>Initially every thread takes its turn at a {@link ReentrantLock}. A thread that takes a thousand turns in a row
 * becomes the owner, and from then on pays two plain stores and a few loads. When another thread comes, it takes the
 * ownership away for good, as in {@link ExclusiveGuard}: it stores "revoked", lets all threads of the JVM pass a
 * handshake, and waits until the owner is outside.
 *
 * <p>A thread that has the lock may take it again.
 */
public final class BiasedLock {
    private static final VarHandle OWNER_INSIDE;
    private static final VarHandle REVOKED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OWNER_INSIDE = lookup.findVarHandle(BiasedLock.class, "ownerInside", int.class);
            REVOKED = lookup.findVarHandle(BiasedLock.class, "revoked", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static final int TURNS_OF_AN_OWNER = 1_000;

    /** How often a thread checks before it pauses between checks, because the owner may not be running. */
    private static final int SPINS = 1_000;

    private static final long PAUSE_NANOS = 50_000;

    private final ReentrantLock turn = new ReentrantLock();
    private final Condition changed = turn.newCondition();

    /** Set once, by the thread itself, and kept when the ownership is revoked. */
    private Thread owner;
    /** How often the owner has taken the lock and not released it; written only by the owner. */
    private int ownerInside;
    /** There is no owner any more, and never will be one. Set with the turn, or by the owner. */
    private boolean revoked;
    /** Whether the thread that is inside has the turn. If not, it is the owner. Written only with the turn. */
    private boolean byTurn;

    // Used only with the turn.
    private Thread last;
    private int turns;

    /** Creates a lock that no thread holds or owns. */
    public BiasedLock() {}

    /** Takes the lock, once no other thread has it. */
    public void lock() {
        Thread self = Thread.currentThread();
        if (owner == self) {
            if (ownerInside != 0) {
                // A thread that revokes the ownership waits until the owner is outside.
                ownerInside++;
                return;
            }
            // This store before that load: see UseGuard. The revoking thread handles reordering by the CPU.
            OWNER_INSIDE.setOpaque(this, 1);
            if (!(boolean) REVOKED.getOpaque(this)) {
                return;
            }
            OWNER_INSIDE.setRelease(this, 0);
        }
        takeTurn(self);
    }

    /** Not part of {@link #lock()}: the compiler inlines that one into each call of an endpoint. */
    private void takeTurn(Thread self) {
        turn.lock();
        if (owner != null) {
            try {
                excludeOwner();
            } catch (Throwable e) {
                turn.unlock();
                throw e;
            }
        }
        byTurn = true;
        if (revoked || last != self || turn.getHoldCount() > 1) {
            last = self;
            turns = 0;
        } else if (++turns == TURNS_OF_AN_OWNER) {
            last = null;
            ownerInside = 1;
            byTurn = false;
            owner = self;
            // The next one that has the turn sees the owner, and revokes the ownership.
            turn.unlock();
        }
    }

    /** With the turn: waits until the owner is outside, and sees that it does not own the lock any more. */
    private void excludeOwner() {
        revoke();
        for (int spins = 0; (int) OWNER_INSIDE.getAcquire(this) != 0; spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** With the turn: from now on, a thread that is not seen inside as the owner does not enter as the owner. */
    private void revoke() {
        if (!(boolean) REVOKED.getOpaque(this)) {
            REVOKED.setVolatile(this, true);
            try {
                UseGuard.awaitNobodyInside(List.of());
            } catch (Throwable e) {
                REVOKED.setVolatile(this, false);
                throw e;
            }
        }
    }

    /** Takes the lock, unless another thread has it; returns whether it did. Its owner loses it. */
    public boolean tryLock() {
        if (!turn.tryLock()) {
            return false;
        }
        try {
            if (owner != null) {
                revoke();
            }
            byTurn = (int) OWNER_INSIDE.getAcquire(this) == 0;
            return byTurn;
        } finally {
            if (!byTurn) {
                turn.unlock();
            }
        }
    }

    /** Releases the lock. */
    public void unlock() {
        if (byTurn) {
            if (turn.getHoldCount() == 1) {
                byTurn = false;
            }
            turn.unlock();
        } else if (ownerInside == 1) {
            OWNER_INSIDE.setRelease(this, 0);
        } else if (ownerInside == 0) {
            throw new IllegalMonitorStateException();
        } else {
            ownerInside--;
        }
    }

    /** For tests: whether a thread owns the lock. */
    boolean isBiased() {
        return owner != null && !revoked;
    }

    /** Returns whether another thread waits for the lock. */
    public boolean hasQueuedThreads() {
        return turn.hasQueuedThreads();
    }

    /**
     * Releases the lock, which the thread has taken once, until {@link #signalAll()} or the end of the time, or only
     * for a moment. From then on no thread owns the lock.
     */
    public void await(long nanos) throws InterruptedException {
        if (byTurn) {
            revoked = true;
            byTurn = false;
            try {
                changed.await(nanos, TimeUnit.NANOSECONDS);
            } finally {
                byTurn = true;
            }
        } else {
            REVOKED.setVolatile(this, true);
            OWNER_INSIDE.setRelease(this, 0);
            turn.lock();
            byTurn = true;
        }
    }

    /** Ends the waits of all threads, with the lock. */
    public void signalAll() {
        // While the lock has an owner, no thread waits.
        if (byTurn) {
            changed.signalAll();
        }
    }
}
