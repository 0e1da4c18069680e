// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The resources of calls that NCCL has accepted and not yet put into the streams. The last communicator to finish
 * releases them.
 */
final class Pending {
    private static final Set<Connection> WAITING = ConcurrentHashMap.newKeySet();

    private final List<ResourceUse> held;
    private final AtomicInteger communicators;

    Pending(List<ResourceUse> held, int communicators) {
        this.held = held;
        this.communicators = new AtomicInteger(communicators);
    }

    /** Called when one communicator has finished the calls. */
    void finish() {
        if (communicators.decrementAndGet() == 0) {
            held.forEach(ResourceUse::exit);
        }
    }

    static void began(Connection connection) {
        WAITING.add(connection);
    }

    static void ended(Connection connection) {
        WAITING.remove(connection);
    }

    /** Checks all waiting connections, for a close that waits for them: no other thread may check. */
    static void poll() {
        WAITING.forEach(Connection::poll);
    }
}
