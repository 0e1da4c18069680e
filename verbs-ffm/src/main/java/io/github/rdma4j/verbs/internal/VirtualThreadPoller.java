// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits (epoll(7)) on behalf of virtual threads, so that a wait for an event holds no carrier; the JDK does the same
 * for sockets. The first wait of a virtual thread starts its only thread, a daemon. The thread ends when nothing has
 * been watched for {@value #IDLE_MILLIS} ms, and the next wait starts another one, because a running thread would keep
 * the class loader of this library alive.
 *
 * <p>Several waiters may share a descriptor, such as two objects for one native context.
 */
final class VirtualThreadPoller {
    private static final int EVENTS_PER_CALL = 64;
    private static final int FOR_EVER = -1;
    private static final int IDLE_MILLIS = 200;
    private static final long PAUSE_AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(1);
    private static final ReentrantLock LOCK = new ReentrantLock();
    /** Null while nothing is watched. Guarded by the lock. */
    private static VirtualThreadPoller running;

    private final int epoll;
    /** Ends the wait of the thread when nothing is left to watch. */
    private final int wake;

    private final MemorySegment events = FileDescriptors.allocateEvents(Arena.ofAuto(), EVENTS_PER_CALL);
    /**
     * The waiters by descriptor. Changed with the lock held, and before the kernel is queried, because the descriptor
     * may be ready at once.
     */
    private final Map<Integer, List<Runnable>> waiters = new ConcurrentHashMap<>();

    private VirtualThreadPoller() {
        epoll = FileDescriptors.createEpoll();
        try {
            wake = FileDescriptors.createEventFd();
        } catch (Throwable e) {
            FileDescriptors.close(epoll);
            throw e;
        }
    }

    /** The thread inherits nothing from the program's thread that happens to wait first. */
    private static VirtualThreadPoller start() {
        VirtualThreadPoller poller = new VirtualThreadPoller();
        try {
            FileDescriptors.epollAdd(poller.epoll, poller.wake, FileDescriptors.READABLE, poller.wake);
            Thread.ofPlatform()
                    .name("rdma4j-virtual-thread-poller")
                    .daemon()
                    .inheritInheritableThreadLocals(false)
                    .start(poller::run);
        } catch (Throwable e) {
            poller.close();
            throw e;
        }
        return poller;
    }

    private void close() {
        FileDescriptors.close(wake);
        FileDescriptors.close(epoll);
    }

    /**
     * Calls the waiter once when the descriptor is ready, at once if it is ready already. The waiter is called more
     * than once if it throws, or if another waiter watches the same descriptor.
     *
     * @param descriptor the descriptor to watch
     * @param waiter the waiter to call; the same object each time
     */
    static void watch(int descriptor, Runnable waiter) {
        LOCK.lock();
        try {
            if (running == null) {
                running = start();
            }
            running.add(descriptor, waiter);
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Stops watching. Does nothing for a waiter that does not watch.
     *
     * @param descriptor the watched descriptor, still open
     * @param waiter the waiter, as it was passed
     */
    static void forget(int descriptor, Runnable waiter) {
        LOCK.lock();
        try {
            if (running != null) {
                running.remove(descriptor, waiter);
            }
        } finally {
            LOCK.unlock();
        }
    }

    private void add(int descriptor, Runnable waiter) {
        List<Runnable> before = waiters.getOrDefault(descriptor, List.of());
        if (!before.contains(waiter)) {
            List<Runnable> all = new ArrayList<>(before);
            all.add(waiter);
            waiters.put(descriptor, List.copyOf(all));
        }
        try {
            FileDescriptors.epollAsk(epoll, descriptor, FileDescriptors.READABLE_ONCE, descriptor);
        } catch (Throwable e) {
            put(descriptor, before);
            throw e;
        }
    }

    private void remove(int descriptor, Runnable waiter) {
        List<Runnable> left = new ArrayList<>(waiters.getOrDefault(descriptor, List.of()));
        if (left.remove(waiter)) {
            put(descriptor, left);
            if (left.isEmpty()) {
                FileDescriptors.epollRemove(epoll, descriptor);
            }
        }
    }

    private void put(int descriptor, List<Runnable> those) {
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
     * An exception, such as an OutOfMemoryError, must not end the thread, because virtual threads would wait forever.
     */
    private void run() {
        while (true) {
            try {
                int count = FileDescriptors.epollWait(epoll, events, waiters.isEmpty() ? IDLE_MILLIS : FOR_EVER);
                for (int i = 0; i < count; i++) {
                    notifyWaiters((int) FileDescriptors.readyKey(events, i));
                }
                if (count == 0 && isRetired()) {
                    return;
                }
            } catch (Throwable e) {
                LockSupport.parkNanos(PAUSE_AFTER_FAILURE);
            }
        }
    }

    /** Retires this poller unless something is watched. */
    private boolean isRetired() {
        LOCK.lock();
        try {
            if (!waiters.isEmpty()) {
                return false;
            }
            running = null;
            close();
            return true;
        } finally {
            LOCK.unlock();
        }
    }

    /** Calls the waiters until that has worked, because the kernel reports a descriptor only once. */
    private void notifyWaiters(int descriptor) {
        while (true) {
            try {
                if (descriptor == wake) {
                    FileDescriptors.drain(wake);
                }
                for (Runnable waiter : waiters.getOrDefault(descriptor, List.of())) {
                    waiter.run();
                }
                return;
            } catch (Throwable e) {
                LockSupport.parkNanos(PAUSE_AFTER_FAILURE);
            }
        }
    }
}
