// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * File descriptors that are waited for together: an epoll(7) instance, which can be waited for like any other
 * descriptor.
 */
public final class DescriptorSet {
    private static final int EVENTS_PER_CALL = 64;
    private static final int WAKE_UP = -1;
    /** Those that are open, for {@link #lookAgain}; one that nobody uses any more is not kept. */
    private static final Map<DescriptorSet, Boolean> OPEN = Collections.synchronizedMap(new WeakHashMap<>());

    private final int epoll;
    private final int wakeDescriptor;
    private final ReadinessWaiter waiter;
    private final UseGuard guard = new UseGuard();
    private final ReentrantLock collecting = new ReentrantLock();
    private final MemorySegment events = FileDescriptors.allocateEvents(Arena.ofAuto(), EVENTS_PER_CALL);
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
        if (!guard.enter()) {
            throw closed.get();
        }
    }

    /**
     * Waits until descriptors are ready.
     *
     * @param operation for the message of the exception after an interrupt
     * @param timeout how long to wait; zero or less only looks
     * @return those that are ready; none after the time, and after {@link #wakeUp()}
     */
    public int[] await(String operation, Duration timeout) {
        int[] ready = waiter.awaitAndTry(() -> operation, timeout, this::collect, closed);
        return ready == null ? new int[0] : ready;
    }

    /**
     * The lock comes before the guard. A thread that waited for the lock inside the guard would hold up
     * {@link #close()}, which spins; and a virtual thread could not even go on, where the closing one has the last
     * carrier.
     */
    private int[] collect() {
        collecting.lock();
        try {
            enter();
            try {
                return ready();
            } finally {
                guard.exit();
            }
        } finally {
            collecting.unlock();
        }
    }

    private int[] ready() {
        int count = FileDescriptors.epollWait(epoll, events, 0);
        int[] ready = new int[count];
        int used = 0;
        for (int i = 0; i < count; i++) {
            int descriptor = (int) FileDescriptors.readyKey(events, i);
            if (descriptor == WAKE_UP) {
                FileDescriptors.drain(wakeDescriptor);
            } else {
                ready[used++] = descriptor;
            }
        }
        return count == 0 ? null : Arrays.copyOf(ready, used);
    }

    /** Ends all waits, and closes the set; to be called once. */
    public void close() {
        waiter.close();
        OPEN.remove(this);
        guard.close();
        FileDescriptors.close(epoll);
        FileDescriptors.close(wakeDescriptor);
    }
}
