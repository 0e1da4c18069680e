// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The event loop that docs/verbs.md links to. */
final class ConnectionsGuide {
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final BooleanSupplier running;
    private final Consumer<ConnectionId> started;
    private final Consumer<String> log;

    ConnectionsGuide(
            ProtectionDomain domain,
            CompletionQueue queue,
            BooleanSupplier running,
            Consumer<ConnectionId> started,
            Consumer<String> log) {
        this.domain = domain;
        this.queue = queue;
        this.running = running;
        this.started = started;
        this.log = log;
    }

    private boolean running() {
        return running.getAsBoolean();
    }

    private void started(ConnectionId id) {
        started.accept(id);
    }

    private void log(String line) {
        log.accept(line);
    }

    void serve(InetSocketAddress address) {
        try (EventChannel channel = EventChannel.create()) {
            ConnectionId listener = channel.createId(PortSpace.TCP);
            listener.bind(address);
            listener.listen(128);
            while (running()) {
                channel.nextEvent(Duration.ofSeconds(1)).ifPresent(this::handle);
            }
        }
    }

    private void handle(CmEvent event) {
        ConnectionId id = event.id();
        try {
            switch (event.type()) {
                case CONNECT_REQUEST -> {
                    // The depths of all queue pairs together fit into the queue.
                    id.createQueuePair(
                            domain,
                            config -> config.completionQueue(queue)
                                    .maxSendWorkRequests(16)
                                    .maxReceiveWorkRequests(16));
                    id.accept(config -> {});
                }
                case ESTABLISHED -> started(id);
                case DISCONNECTED, REJECTED, CONNECT_ERROR, UNREACHABLE -> id.close();
                default -> log(event.toString());
            }
        } catch (VerbsException | IllegalArgumentException e) {
            // One client's failure: it gave up before it was accepted, or the completion queue is too short for it.
            log(e.getMessage());
            id.close();
        }
    }
}
