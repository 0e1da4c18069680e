// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.base.UseGuard;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets one thread use a guard or a lock without an atomic operation. Threads take turns. A thread that takes {@value
 * #TURNS_OF_AN_OWNER} turns in a row becomes the owner, and from then on enters by two plain stores and two loads: it
 * stores "inside", and is inside unless it then reads "revoked". The first other thread ends that for good: it stores
 * "revoked", lets all threads of the JVM pass a handshake, and then sees whether the owner is inside.
 *
 * <p>The subclasses contain the turns and the entry of the owner. They call nothing of this class until another thread
 * comes, because little of the stack may be left.
 */
abstract sealed class ThreadBias permits BiasedLock, ExclusiveGuard {
    static final VarHandle OWNER_INSIDE;
    static final VarHandle REVOKED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OWNER_INSIDE = lookup.findVarHandle(ThreadBias.class, "ownerInside", int.class);
            REVOKED = lookup.findVarHandle(ThreadBias.class, "revoked", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static final int TURNS_OF_AN_OWNER = 250;

    /** How often a thread checks before it pauses between checks, because the thread inside may not be running. */
    private static final int SPINS = 1_000;

    private static final long PAUSE_NANOS = 50_000;

    /** Set once, by the thread itself, and kept when the ownership is revoked. */
    Thread owner;
    /** How often the owner is inside; written only by the owner. */
    int ownerInside;
    /** Whether there is no owner any more, and never will be one. */
    boolean revoked;

    /** The thread that had the last turn, and how many it had in a row. Used only with the turn. */
    Thread lastThread;

    int turns;

    /** With the turn: from now on, a thread that is not seen inside as the owner does not enter as the owner. */
    final void revoke() {
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

    /** With the turn: revokes the ownership, and waits until the owner is outside. */
    final void excludeOwner() {
        revoke();
        for (int spins = 0; (int) OWNER_INSIDE.getAcquire(this) != 0 && owner != Thread.currentThread(); spins++) {
            pause(spins);
        }
    }

    static void pause(int spins) {
        if (spins < SPINS) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
