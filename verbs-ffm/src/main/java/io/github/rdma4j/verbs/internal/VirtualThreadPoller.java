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
 * The one thread that this library starts by itself: a daemon that waits (epoll(7)) on behalf of virtual threads, so
 * that a wait for an event holds no carrier thread; the JDK does the same for sockets. It starts with the first wait of
 * a virtual thread, and never in a program that has none. Where it could not be started, the next wait tries again.
 *
 * <p>Several waiters may share a descriptor, such as two objects for one native context.
 */
final class VirtualThreadPoller {
    private static final int EVENTS_PER_CALL = 64;
    private static final int FOR_EVER = -1;
    private static final long PAUSE_AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(1);
    private static final ReentrantLock STARTING = new ReentrantLock();
    private static volatile VirtualThreadPoller running;

    private final int epoll = FileDescriptors.createEpoll();
    private final MemorySegment events = FileDescriptors.allocateEvents(Arena.ofAuto(), EVENTS_PER_CALL);
    /**
     * By descriptor. Changed with the lock held, and before the kernel is asked: the thread may find it ready at once.
     */
    private final Map<Integer, List<Runnable>> waiters = new ConcurrentHashMap<>();

    private final ReentrantLock changing = new ReentrantLock();

    private VirtualThreadPoller() {}

    private static VirtualThreadPoller running() {
        VirtualThreadPoller poller = running;
        if (poller == null) {
            STARTING.lock();
            try {
                poller = running == null ? start() : running;
                running = poller;
            } finally {
                STARTING.unlock();
            }
        }
        return poller;
    }

    private static VirtualThreadPoller start() {
        VirtualThreadPoller poller = new VirtualThreadPoller();
        try {
            Thread.ofPlatform().name("rdma4j-virtual-thread-poller").daemon().start(poller::run);
        } catch (Throwable e) {
            FileDescriptors.close(poller.epoll);
            throw e;
        }
        return poller;
    }

    /**
     * Calls the waiter once when the descriptor is ready; at once if it is. The call comes more than once if the waiter
     * throws, and when another waiter asks for the same descriptor.
     *
     * @param descriptor that it waits for
     * @param waiter to be told; the same object each time
     */
    static void watch(int descriptor, Runnable waiter) {
        running().add(descriptor, waiter);
    }

    /**
     * Stops watching. Does nothing for a waiter that does not watch.
     *
     * @param descriptor that was watched, still open
     * @param waiter as it was given
     */
    static void forget(int descriptor, Runnable waiter) {
        VirtualThreadPoller poller = running;
        if (poller != null) {
            poller.remove(descriptor, waiter);
        }
    }

    private void add(int descriptor, Runnable waiter) {
        changing.lock();
        try {
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
        } finally {
            changing.unlock();
        }
    }

    private void remove(int descriptor, Runnable waiter) {
        changing.lock();
        try {
            List<Runnable> left = new ArrayList<>(waiters.getOrDefault(descriptor, List.of()));
            if (left.remove(waiter)) {
                put(descriptor, left);
                if (left.isEmpty()) {
                    FileDescriptors.epollRemove(epoll, descriptor);
                }
            }
        } finally {
            changing.unlock();
        }
    }

    private void put(int descriptor, List<Runnable> those) {
        if (those.isEmpty()) {
            waiters.remove(descriptor);
        } else {
            waiters.put(descriptor, List.copyOf(those));
        }
    }

    /**
     * Whatever is thrown here, such as an OutOfMemoryError, must not end the thread: virtual threads would sleep on.
     */
    private void run() {
        while (true) {
            try {
                int count = FileDescriptors.epollWait(epoll, events, FOR_EVER);
                for (int i = 0; i < count; i++) {
                    tell((int) FileDescriptors.readyKey(events, i));
                }
            } catch (Throwable e) {
                LockSupport.parkNanos(PAUSE_AFTER_FAILURE);
            }
        }
    }

    /** The kernel reports a descriptor once, so those who wait for it are told until it has worked. */
    private void tell(int descriptor) {
        while (true) {
            try {
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
