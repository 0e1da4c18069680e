// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.base.UseGuard;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * Admits one thread at a time to a short piece of native work, and none after {@link #close()}. It is like
 * {@link UseGuard}, but also makes threads take turns: a thread that finds another one inside waits for it.
 *
 * <p>A thread takes its turn by an atomic operation; a thread that enters alone needs none: see {@link ThreadBias}.
 *
 * <p>Do nothing inside that could wait, and do not enter twice.
 */
public final class ExclusiveGuard extends ThreadBias {
    private static final VarHandle HOLDER;

    static {
        try {
            HOLDER = MethodHandles.lookup().findVarHandle(ExclusiveGuard.class, "holder", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The result of {@link #enter()} on a closed guard. */
    public static final int CLOSED = 0;

    private static final int AS_OWNER = 1;
    private static final int BY_TURN = 2;

    /** The thread that has the turn: it is inside, or checks whether it may enter. */
    private Thread holder;

    private volatile boolean closed;

    /** Creates an open guard. */
    public ExclusiveGuard() {}

    /**
     * Enters, once no other thread is inside.
     *
     * @return for {@link #exit}; {@link #CLOSED} if the object must not be used: then {@code exit} must not be called
     */
    public int enter() {
        if (owner == Thread.currentThread()) {
            // This store before that load: see UseGuard. The revoking thread handles reordering by the CPU.
            OWNER_INSIDE.setOpaque(this, 1);
            if (!(boolean) REVOKED.getOpaque(this)) {
                return AS_OWNER;
            }
            OWNER_INSIDE.setRelease(this, 0);
        }
        return takeTurn();
    }

    /**
     * Leaves.
     *
     * @param entry the result of {@link #enter()}: a local of the caller, which costs less than to check the thread
     */
    public void exit(int entry) {
        if (entry == AS_OWNER) {
            OWNER_INSIDE.setRelease(this, 0);
        } else {
            HOLDER.setRelease(this, (Thread) null);
        }
    }

    private int takeTurn() {
        if (!hold(false)) {
            return CLOSED;
        }
        if (closed) {
            HOLDER.setRelease(this, (Thread) null);
            return CLOSED;
        }
        Thread self = Thread.currentThread();
        if (owner != null) {
            try {
                excludeOwner();
            } catch (Throwable e) {
                HOLDER.setRelease(this, (Thread) null);
                throw e;
            }
        } else if (lastThread != self) {
            lastThread = self;
            turns = 0;
        } else if (++turns == TURNS_OF_AN_OWNER) {
            lastThread = null;
            ownerInside = 1;
            owner = self;
            // The next holder sees the owner, and revokes the ownership.
            HOLDER.setRelease(this, (Thread) null);
            return AS_OWNER;
        }
        return BY_TURN;
    }

    /** Becomes the holder; returns false if the guard is closed meanwhile and that matters. */
    private boolean hold(boolean ofClosed) {
        for (int spins = 0; !HOLDER.compareAndSet(this, (Thread) null, Thread.currentThread()); spins++) {
            if (closed && !ofClosed) {
                return false;
            }
            pause(spins);
        }
        return true;
    }

    /**
     * Admits no thread any more, and waits until no thread is inside. Must not be called by a thread that is inside.
     */
    public void close() {
        closed = true;
        try {
            hold(true);
            try {
                if (owner != null) {
                    excludeOwner();
                }
            } finally {
                HOLDER.setRelease(this, (Thread) null);
            }
        } catch (Throwable e) {
            closed = false;
            throw e;
        }
    }

    /** Opens the guard again, after a close whose native part was refused. */
    public void reopen() {
        closed = false;
    }

    /**
     * Waits until each guard has had no thread inside at some moment, without closing it. A thread that enters a guard
     * later sees all stores of the caller, for instance that a resource used inside is now closed.
     *
     * @param guards the guards; the caller must not be inside any of them
     */
    public static void awaitNobodyInside(List<ExclusiveGuard> guards) {
        UseGuard.awaitNobodyInside(List.of());
        for (ExclusiveGuard guard : guards) {
            for (int spins = 0; (int) OWNER_INSIDE.getAcquire(guard) != 0; spins++) {
                pause(spins);
            }
            guard.hold(true);
            HOLDER.setRelease(guard, (Thread) null);
        }
    }
}
