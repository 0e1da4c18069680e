// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

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
 * File descriptors that are waited for together: an epoll(7) instance, which can be waited for like any other
 * descriptor.
 */
public final class DescriptorSet {
    private static final int EVENTS_PER_CALL = 64;
    private static final int WAKE_UP = -1;
    private static final int[] NONE = {};
    /** Nothing but a wake-up that is another thread's, or that another one has taken. */
    private static final int[] FOR_ANOTHER = {};

    private static final long PAUSE_NANOS = 50_000;
    /** Those that are open, for {@link #lookAgain}; one that nobody uses any more is not kept. */
    private static final Map<DescriptorSet, Boolean> OPEN = Collections.synchronizedMap(new WeakHashMap<>());

    private final int epoll;
    private final int wakeDescriptor;
    private final ReadinessWaiter waiter;
    private final UseGuard guard = new UseGuard();
    private final ReentrantLock collecting = new ReentrantLock();
    private final MemorySegment events = FileDescriptors.allocateEvents(Arena.ofAuto(), EVENTS_PER_CALL);
    /** Whether a thread waits in the kernel for the set itself, and so has the events and the hook below. */
    private final AtomicBoolean direct = new AtomicBoolean();

    private final MemorySegment directEvents = FileDescriptors.allocateEvents(Arena.ofAuto(), EVENTS_PER_CALL);
    private final MemorySegment directTimeout = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, 2);
    /** Which thread waited directly last, and so has memory for errno. */
    private Thread directThread;

    /** Made anew when an interrupt has used it up. */
    private InterruptHook hook = new InterruptHook(this::interrupted);
    /** That thread was interrupted, or the set is being closed: the wake-up stays. */
    private volatile boolean mustReturn;
    /** Somebody has asked for a wake-up, and perhaps nobody has taken it. */
    private volatile boolean woken;

    private volatile boolean closing;
    /** Set when the machine has no call to wait for a set in nanoseconds. */
    private volatile boolean neverDirect;

    private final Supplier<? extends RuntimeException> closed;

    /**
     * An empty set.
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
     * Has the sets that watch a descriptor ask the kernel again whether it is ready: for a change that the kernel
     * announces to nobody.
     *
     * @param descriptor an open one
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
     * Adds a descriptor; one that is in the set already stays there.
     *
     * @param descriptor to watch
     */
    public void add(int descriptor) {
        guarded(() -> FileDescriptors.epollAsk(epoll, descriptor, FileDescriptors.READABLE, descriptor));
    }

    /**
     * Removes a descriptor.
     *
     * @param descriptor that was added; one that is closed has left already
     */
    public void remove(int descriptor) {
        guarded(() -> FileDescriptors.epollRemove(epoll, descriptor));
    }

    /** Ends the wait that is under way, or else the next one. */
    public void wakeUp() {
        woken = true;
        guarded(() -> FileDescriptors.signal(wakeDescriptor));
    }

    /**
     * The descriptor that is readable when one of the set is ready.
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
     * @param start when the wait begins, of {@link System#nanoTime}; means nothing if it has no time
     * @param nanos how long to wait, from 0, which only looks
     * @param interruptible whether an interrupt has to end the wait; else it may
     * @return those that are ready; none after the time, and after {@link #wakeUp()}
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
            // What has ended the wait is the wake-up of the close.
            throw closed.get();
        }
        return ready == null ? NONE : ready;
    }

    /**
     * One system call, where waiting until the set is ready and asking it what is take two. For one platform thread at
     * a time; others wait beside it in the other way.
     *
     * @param start when the wait began; means nothing if it has no time
     * @return null if the wait is to go on in the other way: the machine does not have the call, or this wait was ended
     *     by an interrupt that an earlier one had told of
     */
    private int[] awaitDirectly(String operation, long nanos, long start, boolean interruptible) {
        if (directThread != Thread.currentThread()) {
            NativeCalls.capture();
            directThread = Thread.currentThread();
        }
        // Before the guard: what is made may fail for want of memory, and close() waits for who is inside.
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
                    // Before the others may take it: it is not for them.
                    FileDescriptors.drain(wakeDescriptor);
                    if (woken) {
                        // Of a program, which had another wait in mind than one that an interrupt ends.
                        FileDescriptors.signal(wakeDescriptor);
                    }
                    mustReturn = false;
                    // The closing side sets the two in the other order.
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

    /** The thread that waits directly is interrupted. */
    private void interrupted() {
        mustReturn = true;
        FileDescriptors.signal(wakeDescriptor);
    }

    /** A wait that a signal ends goes on, until its time is over. */
    private int waitDirectly(long nanos, long start) {
        int count = FileDescriptors.epollWaitNanos(epoll, directEvents, directTimeout, nanos);
        while (count == FileDescriptors.SIGNALLED) {
            long remaining = nanos == 0 ? 0 : nanos - (System.nanoTime() - start);
            count = FileDescriptors.epollWaitNanos(epoll, directEvents, directTimeout, Math.max(0, remaining));
        }
        return count;
    }

    /**
     * The lock comes before the guard. A thread that waited for the lock inside the guard would hold up
     * {@link #close()}, which spins; and a virtual thread could not even go on, where the closing one has the last
     * carrier.
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
            // The set is readable until that thread has returned, and the next look would come at once.
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

    private int[] keys(MemorySegment told, int count, boolean takeWakeUp) {
        if (count == 0) {
            return NONE;
        }
        int first = (int) FileDescriptors.readyKey(told, 0);
        if (count == 1 && first != WAKE_UP) {
            return new int[] {first};
        }
        int[] ready = new int[count];
        int used = 0;
        for (int i = 0; i < count; i++) {
            int descriptor = (int) FileDescriptors.readyKey(told, i);
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
     * One that is for the thread that waits directly stays: taken and left again, that thread could miss it.
     *
     * @return whether there was one that is for any thread
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

    /** Ends all waits, and closes the set; to be called once. */
    public void close() {
        closing = true;
        mustReturn = true;
        // A thread that waits directly is inside the guard. One that comes to it sees that the set is being closed.
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
