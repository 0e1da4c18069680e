// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits (epoll(7)) on behalf of virtual threads, so that a wait for an event holds no carrier. As in the JDK's sockets,
 * a platform thread sleeps until a descriptor is ready, and a virtual thread then calls the waiters: it runs when a
 * carrier is free, and finds more than one descriptor ready if there is much to do. The platform thread also watches
 * the time limits, because a timed park of a virtual thread costs more than the rest of a wait.
 *
 * <p>The first wait of a virtual thread starts the two threads. They end when nothing has been watched for {@value
 * #IDLE_MILLIS} ms, and the next wait starts others, because running threads would keep the class loader of this
 * library alive.
 *
 * <p>Several waiters may share a descriptor, such as two objects for one native context.
 */
final class VirtualThreadPoller {
    /** Waits for a descriptor. Both methods are called again if they throw, and may be called without need. */
    abstract static class Waiter {
        private final int descriptor;
        /** Whether there is a limit. Guarded by the lock of the poller, as the limit is. */
        private boolean limited;
        /** A time of {@link System#nanoTime}. */
        private long limit;

        /**
         * Creates a waiter.
         *
         * @param descriptor the descriptor to wait for
         */
        Waiter(int descriptor) {
            this.descriptor = descriptor;
        }

        /** The descriptor is ready. */
        abstract void ready();

        /** The limit is over; there is none until {@link #limit} sets the next one. */
        abstract void timeOver();
    }

    private static final int EVENTS_PER_CALL = 64;
    private static final int FOR_EVER = -1;
    private static final int IDLE_MILLIS = 200;
    private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PAUSE = NANOS_PER_MILLI;
    private static final int NONE = -1;
    private static final ReentrantLock LOCK = new ReentrantLock();
    /** Null while nothing is watched. Guarded by the lock. */
    private static VirtualThreadPoller running;

    /** Reports the descriptors that are watched. */
    private int watched = NONE;
    /** Ends a wait of the platform thread: nothing is left to watch, or a new limit is the earliest. */
    private int wake = NONE;
    /** Reports {@link #wake}, and {@link #watched} while the virtual thread sleeps. */
    private int either = NONE;

    private final MemorySegment events = FileDescriptors.allocateEvents(Arena.ofAuto(), EVENTS_PER_CALL);
    private final MemorySegment which = FileDescriptors.allocateEvents(Arena.ofAuto(), 2);
    /**
     * The waiters by descriptor. Changed with the lock held, and before the kernel is queried, because the descriptor
     * may be ready at once.
     */
    private final Map<Integer, List<Waiter>> waiters = new ConcurrentHashMap<>();
    /** The waiters with a limit, the earliest first. Guarded by the lock. */
    private final PriorityQueue<Waiter> limited = new PriorityQueue<>((a, b) -> Long.signum(a.limit - b.limit));

    private final Thread notifier = Thread.ofVirtual()
            .name("rdma4j-virtual-thread-notifier")
            .inheritInheritableThreadLocals(false)
            .unstarted(this::notifyUntilRetired);
    private volatile boolean retired;

    private VirtualThreadPoller() {
        try {
            watched = FileDescriptors.createEpoll();
            wake = FileDescriptors.createEventFd();
            either = FileDescriptors.createEpoll();
            FileDescriptors.epollAdd(either, wake, FileDescriptors.READABLE, wake);
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    /** The threads inherit nothing from the program's thread that happens to wait first. */
    private static VirtualThreadPoller start() {
        VirtualThreadPoller poller = new VirtualThreadPoller();
        try {
            poller.notifier.start();
            Thread.ofPlatform()
                    .name("rdma4j-virtual-thread-poller")
                    .daemon()
                    .inheritInheritableThreadLocals(false)
                    .start(poller::run);
        } catch (Throwable e) {
            poller.end();
            throw e;
        }
        return poller;
    }

    private void end() {
        retired = true;
        LockSupport.unpark(notifier);
        while (notifier.isAlive()) {
            LockSupport.parkNanos(PAUSE);
        }
        close();
    }

    private void close() {
        for (int descriptor : new int[] {watched, wake, either}) {
            if (descriptor != NONE) {
                FileDescriptors.close(descriptor);
            }
        }
    }

    /**
     * Calls {@link Waiter#ready} once when the descriptor is ready, at once if it is ready already.
     *
     * @param waiter the waiter to call
     */
    static void watch(Waiter waiter) {
        LOCK.lock();
        try {
            if (running == null) {
                running = start();
            }
            running.add(waiter);
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Calls {@link Waiter#timeOver} at a time, or up to a millisecond later, if the waiter has no earlier limit.
     *
     * @param waiter a waiter that watches
     * @param time the time, of {@link System#nanoTime}
     */
    static void limit(Waiter waiter, long time) {
        LOCK.lock();
        try {
            if (running != null) {
                running.addLimit(waiter, time);
            }
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Stops watching. Does nothing for a waiter that does not watch.
     *
     * @param waiter the waiter, whose descriptor is still open
     */
    static void forget(Waiter waiter) {
        LOCK.lock();
        try {
            if (running != null) {
                running.remove(waiter);
            }
        } finally {
            LOCK.unlock();
        }
    }

    private void add(Waiter waiter) {
        int descriptor = waiter.descriptor;
        List<Waiter> before = waiters.getOrDefault(descriptor, List.of());
        if (!before.contains(waiter)) {
            List<Waiter> all = new ArrayList<>(before);
            all.add(waiter);
            waiters.put(descriptor, List.copyOf(all));
        }
        try {
            FileDescriptors.epollAsk(watched, descriptor, FileDescriptors.READABLE_ONCE, descriptor);
        } catch (Throwable e) {
            put(descriptor, before);
            throw e;
        }
    }

    private void addLimit(Waiter waiter, long time) {
        if (waiter.limited && waiter.limit - time <= 0) {
            return;
        }
        limited.remove(waiter);
        waiter.limit = time;
        waiter.limited = limited.add(waiter);
        if (limited.peek() == waiter) {
            FileDescriptors.signal(wake);
        }
    }

    private void remove(Waiter waiter) {
        if (limited.remove(waiter)) {
            waiter.limited = false;
        }
        int descriptor = waiter.descriptor;
        List<Waiter> left = new ArrayList<>(waiters.getOrDefault(descriptor, List.of()));
        if (left.remove(waiter)) {
            put(descriptor, left);
            if (left.isEmpty()) {
                FileDescriptors.epollRemove(watched, descriptor);
            }
        }
    }

    private void put(int descriptor, List<Waiter> those) {
        if (those.isEmpty()) {
            waiters.remove(descriptor);
            if (waiters.isEmpty()) {
                FileDescriptors.signal(wake);
            }
        } else {
            waiters.put(descriptor, List.copyOf(those));
        }
    }

    /**
     * The platform thread. An exception, such as an OutOfMemoryError, must not end it, because virtual threads would
     * wait forever.
     */
    private void run() {
        boolean idle = false;
        while (!idle || !retire()) {
            try {
                callAfterTime();
                int count = FileDescriptors.epollWait(either, which, longestWaitMillis());
                for (int i = 0; i < count; i++) {
                    if (FileDescriptors.readyKey(which, i) == wake) {
                        FileDescriptors.drain(wake);
                    } else {
                        LockSupport.unpark(notifier);
                    }
                }
                idle = count == 0;
            } catch (Throwable e) {
                LockSupport.parkNanos(PAUSE);
            }
        }
        end();
    }

    private int longestWaitMillis() {
        if (waiters.isEmpty()) {
            return IDLE_MILLIS;
        }
        LOCK.lock();
        try {
            if (limited.isEmpty()) {
                return FOR_EVER;
            }
            long nanos = Math.max(0, limited.peek().limit - System.nanoTime());
            return (int) Math.min(Integer.MAX_VALUE, Math.ceilDiv(nanos, NANOS_PER_MILLI));
        } finally {
            LOCK.unlock();
        }
    }

    private void callAfterTime() {
        for (Waiter waiter; (waiter = takeAfterTime()) != null; ) {
            try {
                waiter.timeOver();
            } catch (Throwable e) {
                limit(waiter, System.nanoTime());
                throw e;
            }
        }
    }

    private Waiter takeAfterTime() {
        LOCK.lock();
        try {
            Waiter first = limited.peek();
            if (first == null || first.limit - System.nanoTime() > 0) {
                return null;
            }
            first.limited = false;
            return limited.poll();
        } finally {
            LOCK.unlock();
        }
    }

    /** Retires this poller unless something is watched. */
    private boolean retire() {
        LOCK.lock();
        try {
            if (!waiters.isEmpty()) {
                return false;
            }
            running = null;
            return true;
        } finally {
            LOCK.unlock();
        }
    }

    /** The virtual thread. */
    private void notifyUntilRetired() {
        while (!retired) {
            try {
                int count = FileDescriptors.epollWait(watched, events, 0);
                for (int i = 0; i < count; i++) {
                    callReady((int) FileDescriptors.readyKey(events, i));
                }
                if (count == 0) {
                    FileDescriptors.epollAsk(either, watched, FileDescriptors.READABLE_ONCE, watched);
                    LockSupport.park(this);
                }
            } catch (Throwable e) {
                LockSupport.parkNanos(PAUSE);
            }
        }
    }

    /** Calls the waiters until that has worked, because the kernel reports a descriptor only once. */
    private void callReady(int descriptor) {
        while (true) {
            try {
                for (Waiter waiter : waiters.getOrDefault(descriptor, List.of())) {
                    waiter.ready();
                }
                return;
            } catch (Throwable e) {
                LockSupport.parkNanos(PAUSE);
            }
        }
    }
}
