// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A reentrant lock that costs little for a thread that takes it alone, as an event loop does: see {@link ThreadBias}.
 * Other threads take turns at a {@link ReentrantLock}.
 */
public final class BiasedLock extends ThreadBias {
    private final ReentrantLock turn = new ReentrantLock();
    private final Condition changed = turn.newCondition();

    /** Whether the thread that is inside has the turn. If not, it is the owner. Written only with the turn. */
    private boolean byTurn;

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
        if (revoked || lastThread != self || turn.getHoldCount() > 1) {
            lastThread = self;
            turns = 0;
        } else if (++turns == TURNS_OF_AN_OWNER) {
            lastThread = null;
            ownerInside = 1;
            byTurn = false;
            owner = self;
            // The next thread that has the turn sees the owner, and revokes the ownership.
            turn.unlock();
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
