// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static io.github.rdma4j.verbs.cm.CmTestNet.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The event loop that docs/verbs.md links to, with a client that behaves and one that does not. */
@Tag("device")
class ConnectionsGuideDeviceTest {
    private static final InetSocketAddress HERE = CmTestNet.withPort(CmTestNet.ipv4(), 17_471);

    private final List<String> log = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> firstHasGone = new CompletableFuture<>();
    private volatile boolean stopped;

    /** Asked by the loop before each event: before the first, a client asks for a connection and goes away. */
    private boolean running() {
        if (!firstHasGone.isDone()) {
            try (SynchronousId client = SynchronousId.create(PortSpace.TCP)) {
                client.resolve(HERE, PATIENCE);
                assertThatThrownBy(() -> client.connect(
                                config -> config.queuePairNumber(CmTestNet.nextNumber()), Duration.ofMillis(500)))
                        .isInstanceOf(ConnectionException.class);
            }
            firstHasGone.complete(null);
        }
        return !stopped;
    }

    @Test
    void clientThatGaveUpDoesNotEndTheLoop() throws Exception {
        CompletableFuture<ConnectionId> started = new CompletableFuture<>();
        try (CmEnd server = new CmEnd(CmTestNet.device());
                SynchronousId client = SynchronousId.create(PortSpace.TCP)) {
            ConnectionsGuide guide =
                    new ConnectionsGuide(server.domain, server.queue, this::running, started::complete, log::add);
            CompletableFuture<Void> loop = CompletableFuture.runAsync(() -> guide.serve(HERE));
            try {
                CompletableFuture.anyOf(firstHasGone, loop).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                client.resolve(HERE, PATIENCE);
                try (CmEnd end = CmEnd.of(client.id())) {
                    client.connect(config -> {}, PATIENCE);
                    CompletableFuture.anyOf(started, loop).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                    assertThat(started.join().queuePair()).isPresent();
                    assertThat(end.queuePair.isOpen()).isTrue();
                }
            } finally {
                stopped = true;
            }
            loop.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(log).anySatisfy(line -> assertThat(line).contains("the peer has given up its request"));
        }
    }
}
