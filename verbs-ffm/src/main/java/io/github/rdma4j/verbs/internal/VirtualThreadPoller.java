// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The one thread that this library starts by itself: a daemon that waits (epoll(7)) on behalf of virtual threads, so that a
 * wait for an event holds no carrier thread; the JDK does the same for sockets. It starts with the first wait of a virtual
 * thread, and never in a program that has none.
 */
final class VirtualThreadPoller {
    private static final int EVENTS_PER_CALL = 64;
    private static final int FOR_EVER = -1;

    private static final int EPOLL = FileDescriptors.createEpoll();
    private static final Map<Long, ReadinessWaiter> WAITERS = new ConcurrentHashMap<>();
    private static final AtomicLong KEYS = new AtomicLong();

    static {
        Thread.ofPlatform().name("rdma4j-virtual-thread-poller").daemon().start(VirtualThreadPoller::run);
    }

    private VirtualThreadPoller() {}

    /**
     * Calls {@link ReadinessWaiter#unparkAll()} once when the descriptor is ready; at once if it is.
     *
     * @param waiter to be told
     * @param descriptor that it waits for
     * @param key what the last call for this waiter returned, 0 at first
     * @return the key of this waiter, from 1
     */
    static long watch(ReadinessWaiter waiter, int descriptor, long key) {
        if (key != 0) {
            FileDescriptors.epollModify(EPOLL, descriptor, FileDescriptors.READABLE_ONCE, key);
            return key;
        }
        long added = KEYS.incrementAndGet();
        WAITERS.put(added, waiter);
        try {
            FileDescriptors.epollAdd(EPOLL, descriptor, FileDescriptors.READABLE_ONCE, added);
        } catch (Throwable e) {
            WAITERS.remove(added);
            throw e;
        }
        return added;
    }

    /**
     * Stops watching.
     *
     * @param descriptor that was watched, still open
     * @param key of its waiter
     */
    static void forget(int descriptor, long key) {
        FileDescriptors.epollRemove(EPOLL, descriptor);
        WAITERS.remove(key);
    }

    private static void run() {
        MemorySegment events = FileDescriptors.allocateEvents(Arena.global(), EVENTS_PER_CALL);
        while (true) {
            int count = FileDescriptors.epollWait(EPOLL, events, FOR_EVER);
            for (int i = 0; i < count; i++) {
                ReadinessWaiter waiter = WAITERS.get(FileDescriptors.readyKey(events, i));
                if (waiter != null) {
                    waiter.unparkAll();
                }
            }
        }
    }
}
