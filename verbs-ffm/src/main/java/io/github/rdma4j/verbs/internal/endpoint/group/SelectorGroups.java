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
 * The queues of those groups whose endpoints an {@link EndpointSelector} serves. One look at them finds what has come
 * for each endpoint, and their bells ring for all: the first endpoint of a group brings them, and the last one takes
 * them away.
 *
 * <p>Thread safety: endpoints join and leave from any thread; one thread at a time looks.
 */
public final class SelectorGroups {
    private final EventPoller poller;
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private final Map<SharedQueues, SelectorEntry.OfShared> entries = new HashMap<>();

    /** The groups' queues as an array, which is never changed: asked in each look, without the lock. */
    private volatile SharedQueues[] queues = {};

    /** How many endpoints the kernel reports without arming. */
    private final AtomicInteger reported = new AtomicInteger();

    public SelectorGroups(EventPoller poller) {
        this.poller = poller;
    }

    public boolean isEmpty() {
        return queues.length == 0;
    }

    /** Whether there are endpoints for which the kernel reports whatever comes. */
    public boolean hasReported() {
        return reported.get() > 0;
    }

    /**
     * An endpoint has come.
     *
     * @param shared what it shares; null without a group
     * @param isReported whether the kernel reports whatever comes for it
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

    /** If it fails, as when the group's last endpoint is closed meanwhile, nobody has come. */
    private void addBells(SelectorEntry.OfShared group) {
        try {
            group.bells().forEach(poller::add);
        } catch (Throwable e) {
            leave(group.queues(), false);
            throw e;
        }
    }

    /** An endpoint that has {@linkplain #join come} has left. */
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
     * Polls the groups, which notify the entries for which something has come.
     *
     * @param armEarly whether the selector will sleep next: what is armed before this poll needs no other poll
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
