// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps {@code close()} from freeing a native object under a thread that is inside a call on it, at the cost of two plain
 * stores and two loads per call for the thread that uses the object most.
 *
 * <p>The idea is a biased reader lock. The first thread that enters becomes the owner, and marks itself as inside with an
 * ordinary store; other threads use an atomic counter. Between the owner's store ("I am inside") and its load ("is it
 * closed?") the processor could reorder, and a fence there would cost more than the whole check. So the closing side, which
 * is rare, pays for both: it stores "closed" and then makes every thread of the JVM pass a handshake (closing a shared arena
 * does that). After it, each thread has either published that it is inside or will see "closed".
 *
 * <p>{@code verbs-ffm} has one alike: the two modules share no code, so that each can be had alone. Here a copy enters the
 * guards of the stream and of both memories, which may be one, so entries nest.
 */
public final class UseGuard {
    private static final VarHandle OWNER;
    private static final VarHandle OWNER_INSIDE;
    private static final VarHandle OTHERS_INSIDE;
    private static final VarHandle CLOSED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OWNER = lookup.findVarHandle(UseGuard.class, "owner", Thread.class);
            OWNER_INSIDE = lookup.findVarHandle(UseGuard.class, "ownerInside", int.class);
            OTHERS_INSIDE = lookup.findVarHandle(UseGuard.class, "othersInside", int.class);
            CLOSED = lookup.findVarHandle(UseGuard.class, "closed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int SPINS = 1_000;
    private static final long PAUSE_NANOS = 50_000;

    private Thread owner;
    private int ownerInside;
    private int othersInside;
    private boolean closed;

    /** A guard that is open and has no owner. */
    public UseGuard() {}

    /**
     * Marks the calling thread as inside. It may be inside already: each entry needs an exit.
     *
     * @return whether the object may be used; if not, {@link #exit()} must not be called
     */
    public boolean enter() {
        if (owner != Thread.currentThread()) {
            return enterAsOther();
        }
        int depth = ownerInside;
        OWNER_INSIDE.setOpaque(this, depth + 1);
        // Keeps the compiler from moving the load above the store; the processor is dealt with by the closing side.
        VarHandle.storeStoreFence();
        if ((boolean) CLOSED.getOpaque(this)) {
            OWNER_INSIDE.setRelease(this, depth);
            return false;
        }
        return true;
    }

    /** Marks the calling thread as outside again. */
    public void exit() {
        if (owner == Thread.currentThread()) {
            OWNER_INSIDE.setRelease(this, ownerInside - 1);
        } else {
            OTHERS_INSIDE.getAndAdd(this, -1);
        }
    }

    private boolean enterAsOther() {
        if (owner == null && OWNER.compareAndSet(this, (Thread) null, Thread.currentThread())) {
            return enter();
        }
        OTHERS_INSIDE.getAndAdd(this, 1);
        if ((boolean) CLOSED.getVolatile(this)) {
            OTHERS_INSIDE.getAndAdd(this, -1);
            return false;
        }
        return true;
    }

    /**
     * Closes the guard and waits until no thread is inside: as long as the call lasts in which one is, which for a large copy that
     * returns when it is done may be a while. Must not be called by a thread that is inside.
     */
    public void close() {
        CLOSED.setVolatile(this, true);
        handshakeWithAllThreads();
        awaitNobodyInside();
    }

    private void awaitNobodyInside() {
        for (int spins = 0;
                (int) OWNER_INSIDE.getAcquire(this) != 0 || (int) OTHERS_INSIDE.getAcquire(this) != 0;
                spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private static void handshakeWithAllThreads() {
        try (Arena arena = Arena.ofShared()) {
            arena.allocate(1);
        }
    }
}
