// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.base;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps {@code close()} from freeing a native object under a thread that is inside a call on it, at the cost of two
 * plain stores and a few loads per call for the thread that uses the object most.
 *
 * <p>What it promises:
 * <ul>
 *   <li>A thread is inside from an {@link #enter()} that returned true until its {@link #exit()}. A thread may enter
 *       again while it is inside; each entry needs an exit.
 *   <li>When {@link #close()} has returned, nobody is inside, and nobody gets in until {@link #reopen()}.
 *   <li>What a thread did inside happens before the return of the {@code close()} that waited for it. So the closer may
 *       free what it touched.
 *   <li>{@code enter} and {@code exit} never wait and never allocate. {@code close} waits for those that are inside,
 *       and for nobody else.
 *   <li>{@code enter} and {@code exit} are for all threads, at any time. {@code close} and {@code reopen} are for one
 *       thread at a time, and not for one that is inside: it would wait for itself.
 * </ul>
 *
 * <p>The idea is a biased reader lock. The first thread that enters becomes the owner, and marks itself as inside with
 * an ordinary store; other threads use an atomic counter. Between the owner's store ("I am inside") and its load ("is
 * it closed?") the processor could reorder, and a fence there would cost more than the whole check. So the closing
 * side, which is rare, pays for both: it stores "closed" and then makes every thread of the JVM pass a handshake
 * (closing a shared arena does that). After it, each thread has either published that it is inside or will see
 * "closed".
 *
 * <p>The stress tests in {@code verbs-ffm/jcstress} hold the class to its promises.
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

    /** How often a closer looks before it begins to pause between looks. */
    private static final int SPINS = 1_000;
    /** A pause gives the processor away, on a virtual thread to one that may be inside and not running. */
    private static final long PAUSE_NANOS = 50_000;

    private Thread owner;
    private int ownerInside;
    private int othersInside;
    private boolean closed;

    /** A guard that is open and has no owner. */
    public UseGuard() {}

    /**
     * Marks the calling thread as inside.
     *
     * @return whether the object may be used; if not, {@link #exit()} must not be called
     */
    public boolean enter() {
        return enterAsOwner() || (owner == Thread.currentThread() ? enterAgain() : enterAsOther());
    }

    /**
     * Marks the calling thread as inside if it is the owner, is outside, and the guard is open. For a short use within
     * one method, which then calls {@link #exitAsOwner()}: that costs less than {@link #exit()}.
     *
     * @return whether the thread is inside now; if not, {@link #enter()} may still let it in
     */
    public boolean enterAsOwner() {
        // A branch, and not an addition: a sum would have to wait for the store of the exit before.
        if (owner != Thread.currentThread() || ownerInside != 0) {
            return false;
        }
        // This store before that load: the language has no cheap order for it. HotSpot's compilers keep opaque accesses
        // in their order. Processors (x86-64 and aarch64) may let the load overtake; the closing side deals with that.
        // The load needs no acquire: a thread that loaded "open" and is not seen inside loaded before it passed the
        // handshake.
        OWNER_INSIDE.setOpaque(this, 1);
        if ((boolean) CLOSED.getOpaque(this)) {
            exitAsOwner();
            return false;
        }
        return true;
    }

    /** Marks the owner as outside after {@link #enterAsOwner()}. */
    public void exitAsOwner() {
        // Release: what was done inside comes before it, also on aarch64. The closer's load is the acquire.
        OWNER_INSIDE.setRelease(this, 0);
    }

    /** Marks the calling thread as outside again, after as many exits as entries. */
    public void exit() {
        if (owner != Thread.currentThread()) {
            OTHERS_INSIDE.getAndAdd(this, -1);
        } else if (ownerInside == 1) {
            exitAsOwner();
        } else {
            ownerInside--;
        }
    }

    /** The owner is inside already, and a closer waits for it: nothing has to be ordered. Or the guard was closed. */
    private boolean enterAgain() {
        if (ownerInside == 0 || (boolean) CLOSED.getOpaque(this)) {
            return false;
        }
        ownerInside++;
        return true;
    }

    private boolean enterAsOther() {
        if (owner == null && OWNER.compareAndSet(this, (Thread) null, Thread.currentThread())) {
            return enter();
        }
        // Sequentially consistent on both sides: the counter and "closed", here and in close().
        OTHERS_INSIDE.getAndAdd(this, 1);
        if ((boolean) CLOSED.getVolatile(this)) {
            OTHERS_INSIDE.getAndAdd(this, -1);
            return false;
        }
        return true;
    }

    /**
     * Closes the guard and waits until no thread is inside a call. Must not be called by a thread that is inside. If it
     * throws because of a lack of memory, the guard is open.
     */
    public void close() {
        CLOSED.setVolatile(this, true);
        try {
            handshakeWithAllThreads();
        } catch (Throwable e) {
            reopen();
            throw e;
        }
        awaitNobodyInside();
    }

    /** Opens the guard again, after a close whose native part was refused. */
    public void reopen() {
        CLOSED.setVolatile(this, false);
    }

    /**
     * Waits until each of these guards has had nobody inside, without closing it. A thread that enters one later sees
     * all that the caller has stored before, such as that something which is used inside is closed now.
     *
     * @param guards none of which the caller is inside
     */
    public static void awaitNobodyInside(List<UseGuard> guards) {
        handshakeWithAllThreads();
        for (UseGuard guard : guards) {
            guard.awaitNobodyInside();
        }
    }

    private void awaitNobodyInside() {
        for (int spins = 0;
                (int) OWNER_INSIDE.getVolatile(this) != 0 || (int) OTHERS_INSIDE.getVolatile(this) != 0;
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
