// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests to connect that carry the numbers of the next queue pairs of the device. The peer's kernel then refuses a
 * connection of such a queue pair as stale.
 */
public final class StaleNumbers implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int COUNT = 16;

    private final SynchronousId listener = SynchronousId.create(PortSpace.TCP);
    private final List<SynchronousId> clients = new ArrayList<>();

    /** Sends the requests, and waits until the peer's kernel has them. */
    public StaleNumbers() {
        listener.listen(CmTestNet.ipv4(), COUNT);
        int next = lastNumber() + 1;
        for (int i = 0; i < COUNT; i++) {
            int number = next + i;
            SynchronousId client = SynchronousId.create(PortSpace.TCP);
            clients.add(client);
            client.resolve(listener.id().localAddress().orElseThrow(), PATIENCE);
            client.id().connect(config -> config.queuePairNumber(number));
        }
        for (int i = 0; i < COUNT; i++) {
            clients.add(listener.getRequest(PATIENCE).orElseThrow());
        }
    }

    /** SoftRoCE numbers its queue pairs one after the other. */
    private static int lastNumber() {
        try (ProtectionDomain domain = CmTestNet.device().allocateProtectionDomain();
                CompletionQueue queue = CmTestNet.device().createCompletionQueue(4);
                QueuePair probe = domain.createQueuePair(QueuePairType.RC, config -> config.completionQueue(queue))) {
            return probe.number();
        }
    }

    @Override
    public void close() {
        clients.forEach(SynchronousId::close);
        listener.close();
    }
}
