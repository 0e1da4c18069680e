// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks.tcp;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Endpoints over TCP, with blocking calls. */
final class Endpoints extends Contestant {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Messages of the longest size need memory. */
    private static final int FEW_BUFFERS = 16;

    private final List<Endpoint> open = new ArrayList<>();

    Endpoints(TcpCase what) throws Exception {
        super(what);
        try (EndpointServer server = EndpointServer.bind(new InetSocketAddress("127.0.0.1", 0), this::configure)) {
            for (int i = 0; i < what.connections(); i++) {
                CompletableFuture<Endpoint> accepted = CompletableFuture.supplyAsync(
                        () -> server.accept(PATIENCE).orElseThrow());
                Endpoint client = Endpoint.connect(server.address(), this::configure, PATIENCE);
                open.add(client);
                Endpoint served = accepted.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                open.add(served);
                AtomicLong counter = counter();
                if (what.pattern() == TcpCase.Pattern.STREAM) {
                    start(() -> send(client));
                    start(() -> receive(served, counter));
                } else {
                    start(() -> ask(client, counter));
                    start(() -> answer(served));
                }
            }
        }
    }

    private void configure(EndpointConfig config) {
        config.transport(Transport.TCP).maxMessageSize(Math.max(4096, what.message()));
        if (what.message() == TcpCase.LONGEST_MESSAGE) {
            config.receiveBuffers(FEW_BUFFERS).sendDepth(FEW_BUFFERS);
        }
    }

    private void send(Endpoint endpoint) {
        byte[] message = new byte[what.message()];
        while (!stopped) {
            endpoint.send(message, PATIENCE);
        }
    }

    private void receive(Endpoint endpoint, AtomicLong counter) {
        while (!stopped) {
            receive(endpoint);
            count(counter);
        }
    }

    private void receive(Endpoint endpoint) {
        for (int i = 0; i < what.messages(); i++) {
            endpoint.receive(message -> {}, PATIENCE);
        }
    }

    private void send(Endpoint endpoint, byte[] message) {
        for (int i = 0; i < what.messages(); i++) {
            endpoint.send(message, PATIENCE);
        }
    }

    private void ask(Endpoint endpoint, AtomicLong counter) {
        byte[] message = new byte[what.message()];
        while (!stopped) {
            send(endpoint, message);
            receive(endpoint);
            count(counter);
        }
    }

    private void answer(Endpoint endpoint) {
        byte[] message = new byte[what.message()];
        while (!stopped) {
            receive(endpoint);
            send(endpoint, message);
        }
    }

    @Override
    void end() {
        open.forEach(Endpoint::abort);
    }
}
