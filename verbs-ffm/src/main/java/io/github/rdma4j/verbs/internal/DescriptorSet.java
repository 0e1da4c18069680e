// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.base.UseGuard;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.events.EventWaitEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A set of file descriptors to wait for: an epoll(7) instance, which can itself be waited for like any other
 * descriptor.
 */
public final class DescriptorSet {
    private static final int EVENTS_PER_CALL = 64;
    private static final int WAKE_UP = -1;
    private static final int[] NONE = {};
    /** Only a wake-up that is meant for, or was taken by, another thread. */
    private static final int[] FOR_ANOTHER = {};

    private static final long PAUSE_NANOS = 50_000;
    /** The open sets, for {@link #lookAgain}; an unreachable set is not kept. */
    private static final Map<DescriptorSet, Boolean> OPEN = Collections.synchronizedMap(new WeakHashMap<>());

    private final int epoll;
    private final int wakeDescriptor;
    private final ReadinessWaiter waiter;
    private final UseGuard guard = new UseGuard();
    private final ReentrantLock collecting = new ReentrantLock();
    private final MemorySegment events = FileDescriptors.allocateEvents(Arena.ofAuto(), EVENTS_PER_CALL);
    /** Whether a thread waits in the kernel for the set itself, and so owns the events and the hook below. */
    private final AtomicBoolean direct = new AtomicBoolean();

    private final MemorySegment directEvents = FileDescriptors.allocateEvents(Arena.ofAuto(), EVENTS_PER_CALL);
    private final MemorySegment directTimeout = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, 2);
    /** The thread that last waited directly, and so has memory for errno. */
    private Thread directThread;

    /** Created again when an interrupt has used it up. */
    private InterruptHook hook = new InterruptHook(this::interrupted);
    /** The directly waiting thread was interrupted, or the set is being closed: the wake-up stays. */
    private volatile boolean mustReturn;
    /** Whether a wake-up was requested, and possibly not taken yet. */
    private volatile boolean woken;

    private volatile boolean closing;
    /** Set if the machine has no system call to wait for a set in nanoseconds. */
    private volatile boolean neverDirect;

    private final Supplier<? extends RuntimeException> closed;

    /**
     * Creates an empty set.
     *
     * @param closed the exception for use after close
     */
    public DescriptorSet(Supplier<? extends RuntimeException> closed) {
        this.closed = closed;
        epoll = FileDescriptors.createEpoll();
        int created = -1;
        try {
            created = FileDescriptors.createEventFd();
            FileDescriptors.epollAdd(epoll, created, FileDescriptors.READABLE, WAKE_UP);
        } catch (Throwable e) {
            FileDescriptors.close(epoll);
            if (created >= 0) {
                FileDescriptors.close(created);
            }
            throw e;
        }
        wakeDescriptor = created;
        waiter = new ReadinessWaiter(epoll);
        OPEN.put(this, true);
    }

    /**
     * Makes all sets that watch a descriptor query the kernel again, after a change that the kernel does not announce.
     *
     * @param descriptor an open descriptor
     */
    public static void lookAgain(int descriptor) {
        List<DescriptorSet> open;
        synchronized (OPEN) {
            open = List.copyOf(OPEN.keySet());
        }
        for (DescriptorSet set : open) {
            if (set.guard.enter()) {
                try {
                    FileDescriptors.epollAskAgain(set.epoll, descriptor, FileDescriptors.READABLE, descriptor);
                } finally {
                    set.guard.exit();
                }
            }
        }
    }

    /**
     * Adds a descriptor; does nothing if it is in the set already.
     *
     * @param descriptor the descriptor to watch
     */
    public void add(int descriptor) {
        guarded(() -> FileDescriptors.epollAsk(epoll, descriptor, FileDescriptors.READABLE, descriptor));
    }

    /**
     * Removes a descriptor.
     *
     * @param descriptor a descriptor that was added; a closed one has left already
     */
    public void remove(int descriptor) {
        guarded(() -> FileDescriptors.epollRemove(epoll, descriptor));
    }

    /** Ends the wait in progress, or else the next one. */
    public void wakeUp() {
        woken = true;
        guarded(() -> FileDescriptors.signal(wakeDescriptor));
    }

    /**
     * Returns the descriptor that is readable when one in the set is ready.
     *
     * @return the descriptor of the epoll(7) instance
     */
    public int fileDescriptor() {
        guarded(() -> {});
        return epoll;
    }

    private void guarded(Runnable call) {
        enter();
        try {
            call.run();
        } finally {
            guard.exit();
        }
    }

    private void enter() {
        // The first native call of a thread allocates memory for errno, which can wait for other threads: not inside
        // the guard.
        NativeCalls.capture();
        enterPrepared();
    }

    private void enterPrepared() {
        if (!guard.enter()) {
            throw closed.get();
        }
    }

    /**
     * Waits until descriptors are ready.
     *
     * @param operation for the message of the exception after an interrupt
     * @param start the start of the wait, from {@link System#nanoTime}; ignored if it has no time
     * @param nanos how long to wait; 0 returns at once
     * @param interruptible whether an interrupt must end the wait; otherwise it may
     * @return the ready descriptors; none after the timeout and after {@link #wakeUp()}
     */
    public int[] await(String operation, long start, long nanos, boolean interruptible) {
        long remaining = nanos;
        if (!neverDirect && !Thread.currentThread().isVirtual() && direct.compareAndSet(false, true)) {
            try {
                int[] ready = awaitDirectly(operation, nanos, start, interruptible);
                if (ready != null) {
                    return ready;
                }
            } finally {
                direct.set(false);
            }
            remaining = nanos == 0 ? 0 : nanos - (System.nanoTime() - start);
        }
        int[] ready = waiter.awaitAndTry(() -> operation, Duration.ofNanos(remaining), this::collect, closed);
        if (closing) {
            // The wake-up of the close has ended the wait.
            throw closed.get();
        }
        return ready == null ? NONE : ready;
    }

    /**
     * Waits by one system call, while waiting for the set and then querying it takes two. For one platform thread at a
     * time; others wait in the other way meanwhile.
     *
     * @param start the start of the wait; ignored if it has no time
     * @return null if the wait must continue in the other way: the machine does not have the call, or an interrupt that
     *     an earlier wait already reported has ended this one
     */
    private int[] awaitDirectly(String operation, long nanos, long start, boolean interruptible) {
        if (directThread != Thread.currentThread()) {
            NativeCalls.capture();
            directThread = Thread.currentThread();
        }
        // Before the guard: the allocation may fail if memory runs out, and close() waits for threads inside.
        EventWaitEvent wait = nanos != 0 && Recorder.isThere() ? EventWaitEvent.begun() : null;
        enterPrepared();
        int[] ready;
        boolean interrupted;
        try {
            if (closing) {
                throw closed.get();
            }
            InterruptHook armed = hook;
            boolean mayBeInterrupted = interruptible && nanos > 0;
            int count;
            if (mayBeInterrupted) {
                armed.arm();
            }
            try {
                count = waitDirectly(nanos, start);
            } finally {
                interrupted = mayBeInterrupted && armed.disarm();
                if (interrupted) {
                    hook = new InterruptHook(this::interrupted);
                    // Before other threads may take it: it is not meant for them.
                    FileDescriptors.drain(wakeDescriptor);
                    if (woken) {
                        // Interrupted by the program, which meant another wait than one that an interrupt ends.
                        FileDescriptors.signal(wakeDescriptor);
                    }
                    mustReturn = false;
                    // The closing side sets the two in the opposite order.
                    if (closing) {
                        mustReturn = true;
                    }
                }
            }
            if (count == FileDescriptors.NO_SUCH_CALL) {
                neverDirect = true;
                return null;
            }
            ready = keys(directEvents, count, !interrupted);
        } finally {
            guard.exit();
            if (wait != null) {
                wait.over(() -> operation);
            }
        }
        if (closing) {
            throw closed.get();
        }
        if (interrupted && ready.length == 0) {
            if (Thread.currentThread().isInterrupted()) {
                throw new WaitInterruptedException(operation);
            }
            return null;
        }
        return ready;
    }

    /** Called when the directly waiting thread is interrupted. */
    private void interrupted() {
        mustReturn = true;
        FileDescriptors.signal(wakeDescriptor);
    }

    /** Continues a wait that a signal ends, until its timeout. */
    private int waitDirectly(long nanos, long start) {
        int count = FileDescriptors.epollWaitNanos(epoll, directEvents, directTimeout, nanos);
        while (count == FileDescriptors.SIGNALLED) {
            long remaining = nanos == 0 ? 0 : nanos - (System.nanoTime() - start);
            count = FileDescriptors.epollWaitNanos(epoll, directEvents, directTimeout, Math.max(0, remaining));
        }
        return count;
    }

    /**
     * The lock comes before the guard. A thread that waited for the lock inside the guard would delay {@link #close()},
     * which spins; and a virtual thread could not continue if the closing thread has the last carrier.
     */
    private int[] collect() {
        int[] ready;
        collecting.lock();
        try {
            enter();
            try {
                ready = ready();
            } finally {
                guard.exit();
            }
        } finally {
            collecting.unlock();
        }
        if (ready == FOR_ANOTHER) {
            // The set is readable until that thread has returned, so polling again at once would spin.
            LockSupport.parkNanos(PAUSE_NANOS);
            return null;
        }
        return ready;
    }

    private int[] ready() {
        int count = FileDescriptors.epollWait(epoll, events, 0);
        if (count == 0) {
            return null;
        }
        if (count == 1 && (int) FileDescriptors.readyKey(events, 0) == WAKE_UP) {
            return takeWakeUp() ? NONE : FOR_ANOTHER;
        }
        return keys(events, count, true);
    }

    private int[] keys(MemorySegment reported, int count, boolean takeWakeUp) {
        if (count == 0) {
            return NONE;
        }
        int first = (int) FileDescriptors.readyKey(reported, 0);
        if (count == 1 && first != WAKE_UP) {
            return new int[] {first};
        }
        int[] ready = new int[count];
        int used = 0;
        for (int i = 0; i < count; i++) {
            int descriptor = (int) FileDescriptors.readyKey(reported, i);
            if (descriptor == WAKE_UP) {
                if (takeWakeUp) {
                    takeWakeUp();
                }
            } else {
                ready[used++] = descriptor;
            }
        }
        return used == count ? ready : Arrays.copyOf(ready, used);
    }

    /**
     * Takes a wake-up. A wake-up for the directly waiting thread stays: if it were taken and set again, that thread
     * could miss it.
     *
     * @return whether there was one for any thread
     */
    private boolean takeWakeUp() {
        if (mustReturn) {
            return false;
        }
        woken = false;
        boolean taken = FileDescriptors.drain(wakeDescriptor);
        if (mustReturn) {
            FileDescriptors.signal(wakeDescriptor);
            return false;
        }
        return taken;
    }

    /** Ends all waits, and closes the set; called once. */
    public void close() {
        closing = true;
        mustReturn = true;
        // A thread that waits directly is inside the guard. A thread that reaches it later sees that the set is being
        // closed.
        if (direct.get()) {
            FileDescriptors.signal(wakeDescriptor);
        }
        waiter.close();
        OPEN.remove(this);
        guard.close();
        FileDescriptors.close(epoll);
        FileDescriptors.close(wakeDescriptor);
    }
}
