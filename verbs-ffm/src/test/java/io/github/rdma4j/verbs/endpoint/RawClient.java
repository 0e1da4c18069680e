// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Requests a connection, and never reads the answer. */
final class RawClient implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final SynchronousId id = SynchronousId.create(PortSpace.TCP);
    private final byte[] greeting;
    private ProtectionDomain domain;
    private CompletionQueue queue;

    RawClient(byte[] greeting) {
        this.greeting = greeting;
    }

    void ask(InetSocketAddress address) {
        id.resolve(address, PATIENCE);
        DeviceContext device = id.id().device().orElseThrow();
        domain = device.allocateProtectionDomain();
        queue = device.createCompletionQueue(8);
        id.id()
                .createQueuePair(
                        domain,
                        config -> config.completionQueue(queue)
                                .maxSendWorkRequests(1)
                                .maxReceiveWorkRequests(1));
        id.id().connect(config -> config.privateData(greeting));
    }

    @Override
    public void close() {
        id.close();
        queue.close();
        domain.close();
    }
}
