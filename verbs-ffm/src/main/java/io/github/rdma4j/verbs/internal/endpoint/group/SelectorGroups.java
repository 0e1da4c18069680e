// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The queues of the groups whose endpoints an {@link EndpointSelector} serves. One poll of them finds the arrivals of
 * all endpoints, and their bells ring for all endpoints. The first endpoint of a group adds the group's queues, and the
 * last one removes them.
 *
 * <p>Thread safety: endpoints join and leave from any thread; one thread at a time polls.
 */
public final class SelectorGroups {
    private final EventPoller poller;
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private final Map<SharedQueues, SelectorEntry.OfShared> entries = new HashMap<>();

    /** The groups' queues; the array is replaced, never changed, because each poll reads it without the lock. */
    private volatile SharedQueues[] queues = {};

    /** How many endpoints the kernel reports without arming. */
    private final AtomicInteger reported = new AtomicInteger();

    public SelectorGroups(EventPoller poller) {
        this.poller = poller;
    }

    public boolean isEmpty() {
        return queues.length == 0;
    }

    /** Whether there are endpoints that the kernel reports without arming. */
    public boolean hasReported() {
        return reported.get() > 0;
    }

    /**
     * Adds an endpoint.
     *
     * @param shared the queues of its group; null without a group
     * @param isReported whether the kernel reports it without arming
     */
    void join(SharedQueues shared, boolean isReported) {
        if (isReported) {
            reported.incrementAndGet();
        }
        if (shared == null) {
            return;
        }
        lock.lock();
        try {
            SelectorEntry.OfShared group = entries.computeIfAbsent(shared, SelectorEntry.OfShared::new);
            if (group.endpoints++ == 0) {
                writeQueues();
                shared.joinSelector();
                addBells(group);
            }
        } finally {
            lock.unlock();
        }
    }

    /** If this fails, for example because the group's last endpoint was closed meanwhile, nothing was added. */
    private void addBells(SelectorEntry.OfShared group) {
        try {
            group.bells().forEach(poller::add);
        } catch (Throwable e) {
            leave(group.queues(), false);
            throw e;
        }
    }

    /** Removes an endpoint that {@link #join} has added. */
    void leave(SharedQueues shared, boolean wasReported) {
        if (wasReported) {
            reported.decrementAndGet();
        }
        if (shared == null) {
            return;
        }
        lock.lock();
        try {
            SelectorEntry.OfShared group = entries.get(shared);
            if (group != null && --group.endpoints == 0) {
                entries.remove(shared);
                writeQueues();
                shared.leaveSelector();
                group.bells().forEach(poller::remove);
            }
        } finally {
            lock.unlock();
        }
    }

    private void writeQueues() {
        queues = entries.keySet().toArray(SharedQueues[]::new);
    }

    /**
     * Polls the groups, which notify the entries that have arrivals.
     *
     * @param armEarly whether the selector will sleep next: a group that is armed before this poll needs no other poll
     */
    public void poll(boolean armEarly) {
        for (SharedQueues each : queues) {
            if (armEarly) {
                each.armAndTakeIn();
            } else {
                each.poll();
            }
        }
    }

    /** Arms the groups: later arrivals ring, and earlier ones are reported by this call. */
    public void arm() {
        for (SharedQueues each : queues) {
            each.armForSelector();
        }
    }
}
