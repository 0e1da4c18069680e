// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** What a call holds that NCCL has taken and not put into the streams yet: given back with its last communicator. */
final class Pending {
    private static final Set<Connection> WAITING = ConcurrentHashMap.newKeySet();

    private final List<Held> held;
    private final AtomicInteger communicators;

    Pending(List<Held> held, int communicators) {
        this.held = held;
        this.communicators = new AtomicInteger(communicators);
    }

    /** One communicator is through with it. */
    void finish() {
        if (communicators.decrementAndGet() == 0) {
            held.forEach(Held::exit);
        }
    }

    static void began(Connection connection) {
        WAITING.add(connection);
    }

    static void ended(Connection connection) {
        WAITING.remove(connection);
    }

    /** Asks all that wait, for a close that waits for them: nobody else may ask. */
    static void look() {
        WAITING.forEach(Connection::look);
    }
}
