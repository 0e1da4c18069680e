// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** File descriptors that are waited for together: an epoll(7) instance, which can be waited for like any other descriptor. */
public final class DescriptorSet {
    private static final int EVENTS_PER_CALL = 64;
    private static final long WAKE_UP = 0;

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
    }

    /**
     * Adds a descriptor.
     *
     * @param descriptor to watch
     * @param key from 1, to come back when it is ready
     */
    public void add(int descriptor, long key) {
        guarded(() -> FileDescriptors.epollAdd(epoll, descriptor, FileDescriptors.READABLE, key));
    }

    /**
     * Removes a descriptor.
     *
     * @param descriptor that was added, still open
     */
    public void remove(int descriptor) {
        guarded(() -> FileDescriptors.epollRemove(epoll, descriptor));
    }

    /** Ends the wait that is under way, or else the next one. */
    public void wakeUp() {
        guarded(() -> FileDescriptors.signal(wakeDescriptor));
    }

    private void guarded(Runnable call) {
        if (!guard.enter()) {
            throw closed.get();
        }
        try {
            call.run();
        } finally {
            guard.exit();
        }
    }

    /**
     * Waits until descriptors are ready.
     *
     * @param operation for the message of the exception after an interrupt
     * @param timeout how long to wait; zero or less only looks
     * @return the keys of those that are ready; none after the time, and after {@link #wakeUp()}
     */
    public long[] await(String operation, Duration timeout) {
        long[] keys = waiter.await(operation, timeout, this::collect, closed);
        return keys == null ? new long[0] : keys;
    }

    private long[] collect() {
        if (!guard.enter()) {
            throw closed.get();
        }
        try {
            collecting.lock();
            try {
                int count = FileDescriptors.epollWait(epoll, events, 0);
                long[] keys = new long[count];
                int used = 0;
                for (int i = 0; i < count; i++) {
                    long key = FileDescriptors.readyKey(events, i);
                    if (key == WAKE_UP) {
                        FileDescriptors.drain(wakeDescriptor);
                    } else {
                        keys[used++] = key;
                    }
                }
                return count == 0 ? null : Arrays.copyOf(keys, used);
            } finally {
                collecting.unlock();
            }
        } finally {
            guard.exit();
        }
    }

    /** Ends all waits, and closes the set; to be called once. */
    public void close() {
        waiter.close();
        guard.close();
        FileDescriptors.close(epoll);
        FileDescriptors.close(wakeDescriptor);
    }
}
