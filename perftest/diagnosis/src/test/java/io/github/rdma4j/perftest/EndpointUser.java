// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A program with two endpoints that are connected to each other, at the address that is its argument: for each line of
 * standard input it sends a hundred messages there and back, and answers {@code ok}.
 */
final class EndpointUser {
    static final String ANSWER = "ok";
    private static final int MESSAGES = 100;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private EndpointUser() {}

    public static void main(String[] arguments) throws Exception {
        try (EndpointServer server = EndpointServer.bind(new InetSocketAddress(arguments[0], 0))) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(TIMEOUT).orElseThrow());
            try (Endpoint client = Endpoint.connect(server.address(), TIMEOUT);
                    Endpoint peer = accepted.get()) {
                BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
                while (orders.readLine() != null) {
                    for (int i = 0; i < MESSAGES; i++) {
                        pass(client, peer, i);
                        pass(peer, client, i);
                    }
                    System.out.println(ANSWER);
                }
            }
        }
    }

    private static void pass(Endpoint from, Endpoint to, int number) {
        from.send(MemorySegment.ofArray(new byte[] {(byte) number}), TIMEOUT);
        byte[] message = to.receive(TIMEOUT).orElseThrow();
        if (message[0] != number) {
            throw new IllegalStateException("message " + message[0] + " instead of " + number);
        }
    }
}
