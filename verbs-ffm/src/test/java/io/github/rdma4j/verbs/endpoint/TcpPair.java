// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Two endpoints of one process with TCP between them: a client, left, and what its server has accepted. */
public final class TcpPair implements Ends {
    public static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    final Endpoint left;
    final Endpoint right;

    TcpPair(Consumer<EndpointConfig> both) {
        this(both, both);
    }

    TcpPair(Consumer<EndpointConfig> leftConfiguration, Consumer<EndpointConfig> rightConfiguration) {
        try (EndpointServer server =
                EndpointServer.bind(ANY_PORT, config -> rightConfiguration.accept(config.transport(Transport.TCP)))) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            left = Endpoint.connect(
                    server.address(), config -> leftConfiguration.accept(config.transport(Transport.TCP)), PATIENCE);
            right = accepted.join();
        }
    }

    @Override
    public Endpoint left() {
        return left;
    }

    @Override
    public Endpoint right() {
        return right;
    }

    @Override
    public void close() {
        left.abort();
        right.abort();
    }
}
