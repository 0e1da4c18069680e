// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets one thread at a time into a short piece of native work, and none after {@link #close()}: what {@link UseGuard}
 * does, and the turns of threads beside it. A thread that finds another one inside waits for it.
 *
 * <p>At first every thread takes its turn by an atomic operation. A thread that comes a thousand times in a row becomes
 * the owner, and from then on pays two plain stores and two loads. When another thread comes, the owner loses that for
 * good: "not owned" is stored, all threads of the JVM pass a handshake, and then the owner is either seen inside or
 * takes turns like everybody.
 *
 * <p>Nothing that could wait may be done inside, and nobody enters twice.
 */
public final class ExclusiveGuard {
    private static final VarHandle OWNER_INSIDE;
    private static final VarHandle REVOKED;
    private static final VarHandle HOLDER;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OWNER_INSIDE = lookup.findVarHandle(ExclusiveGuard.class, "ownerInside", int.class);
            REVOKED = lookup.findVarHandle(ExclusiveGuard.class, "revoked", boolean.class);
            HOLDER = lookup.findVarHandle(ExclusiveGuard.class, "holder", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static final int TURNS_OF_AN_OWNER = 1_000;
    /** How often a thread looks before it begins to pause between looks: whoever is inside may not be running. */
    private static final int SPINS = 1_000;

    private static final long PAUSE_NANOS = 50_000;

    /** Set once, and kept when the ownership is revoked. */
    private Thread owner;
    /** Written by the owner alone. */
    private int ownerInside;

    private boolean revoked;
    /** Who is inside, or looks whether he may, and is not there as the owner. The two fields below are its own. */
    private Thread holder;

    private Thread lastHolder;
    private int turns;
    private volatile boolean closed;

    /** A guard that is open. */
    public ExclusiveGuard() {}

    /**
     * Enters, when nobody else is inside.
     *
     * @return whether the object may be used; if not, {@link #exit()} must not be called
     */
    public boolean enter() {
        if (owner == Thread.currentThread()) {
            // This store before that load: see UseGuard. The processor is dealt with by who revokes.
            OWNER_INSIDE.setOpaque(this, 1);
            if (!(boolean) REVOKED.getOpaque(this)) {
                return true;
            }
            OWNER_INSIDE.setRelease(this, 0);
        }
        return takeTurn();
    }

    /** Leaves. */
    public void exit() {
        if (ownerInside != 0 && owner == Thread.currentThread()) {
            OWNER_INSIDE.setRelease(this, 0);
        } else {
            HOLDER.setRelease(this, (Thread) null);
        }
    }

    private boolean takeTurn() {
        if (!hold(false)) {
            return false;
        }
        if (closed) {
            HOLDER.setRelease(this, (Thread) null);
            return false;
        }
        Thread self = Thread.currentThread();
        if (owner != null) {
            revoke();
        } else if (lastHolder != self) {
            lastHolder = self;
            turns = 0;
        } else if (++turns == TURNS_OF_AN_OWNER) {
            lastHolder = null;
            ownerInside = 1;
            owner = self;
            // Whoever holds next sees the owner, and revokes.
            HOLDER.setRelease(this, (Thread) null);
        }
        return true;
    }

    /** Becomes the holder; false if the guard is closed meanwhile and that matters. */
    private boolean hold(boolean ofClosed) {
        for (int spins = 0; !HOLDER.compareAndSet(this, (Thread) null, Thread.currentThread()); spins++) {
            if (closed && !ofClosed) {
                return false;
            }
            pause(spins);
        }
        return true;
    }

    /** Takes the ownership away, as the holder, and waits until the owner is outside. */
    private void revoke() {
        if (!revoked) {
            try {
                REVOKED.setVolatile(this, true);
                UseGuard.awaitNobodyInside(List.of());
            } catch (Throwable e) {
                REVOKED.setVolatile(this, false);
                HOLDER.setRelease(this, (Thread) null);
                throw e;
            }
        }
        for (int spins = 0; (int) OWNER_INSIDE.getAcquire(this) != 0 && owner != Thread.currentThread(); spins++) {
            pause(spins);
        }
    }

    private static void pause(int spins) {
        if (spins < SPINS) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Lets nobody in any more, and waits until nobody is inside. Must not be called by a thread that is inside. */
    public void close() {
        closed = true;
        try {
            hold(true);
            if (owner != null) {
                revoke();
            }
        } catch (Throwable e) {
            closed = false;
            throw e;
        }
        HOLDER.setRelease(this, (Thread) null);
    }

    /** Opens the guard again, after a close whose native part was refused. */
    public void reopen() {
        closed = false;
    }

    /**
     * Waits until each of these guards has had nobody inside, without closing it. A thread that enters one later sees
     * all that the caller has stored before, such as that something which is used inside is closed now.
     *
     * @param guards none of which the caller is inside
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
