// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults.cases;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;

import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.GrantedMemory;
import io.github.rdma4j.verbs.faults.FaultCase;
import io.github.rdma4j.verbs.faults.Steps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** Endpoints: the server's making, and the calls of a client that connects to one. */
public final class EndpointCases {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private EndpointCases() {}

    public static List<FaultCase> all() {
        return List.of(
                new FaultCase("endpoint server", 17, EndpointCases::server),
                new FaultCase("endpoint client", 75, EndpointCases::client),
                new FaultCase("endpoint of a group", 95, EndpointCases::member),
                new FaultCase("endpoint selector", 10, EndpointCases::selector),
                new FaultCase("endpoint's grant", 20, EndpointCases::grant));
    }

    static void server(Steps steps) {
        EndpointServer server = steps.make(() -> EndpointServer.bind(CmTestNet.ipv4()));
        steps.end(server);
    }

    /** The server is none of the case's, but what the selector asks of it is. */
    static void selector(Steps steps) {
        try (EndpointServer server = EndpointServer.bind(CmTestNet.ipv4())) {
            EndpointSelector selector = steps.make(EndpointSelector::open);
            steps.run(() -> selector.add(server, ready -> {}));
            steps.sleep(() -> selector.select(PATIENCE), selector::wakeUp);
            steps.end(selector);
        }
    }

    /** The same for one that shares its queues, and for those. */
    static void member(Steps steps) {
        AtomicBoolean over = new AtomicBoolean();
        try (EndpointServer server = EndpointServer.bind(CmTestNet.ipv4())) {
            CompletableFuture<Void> serving = CompletableFuture.runAsync(() -> serve(server, over));
            EndpointGroup group = steps.make(() -> EndpointGroup.open(2));
            Endpoint client =
                    steps.take(() -> Endpoint.connect(server.address(), config -> config.group(group), PATIENCE));
            steps.end(client);
            steps.end(group);
            over.set(true);
            serving.join();
        }
    }

    /** The server's half runs on another thread, so that its calls are none of the case's. */
    static void client(Steps steps) {
        AtomicBoolean over = new AtomicBoolean();
        try (EndpointServer server = EndpointServer.bind(CmTestNet.ipv4())) {
            CompletableFuture<Void> serving = CompletableFuture.runAsync(() -> serve(server, over));
            Endpoint client = steps.take(() -> Endpoint.connect(server.address(), PATIENCE));
            steps.end(client);
            over.set(true);
            serving.join();
        }
    }

    /** A failure in a wait can end the connection, so the second attempt uses a new one. */
    static void grant(Steps steps) {
        AtomicBoolean over = new AtomicBoolean();
        try (EndpointServer server = EndpointServer.bind(CmTestNet.ipv4())) {
            CompletableFuture<Void> serving = CompletableFuture.runAsync(() -> serve(server, over));
            try (Endpoint first = Endpoint.connect(server.address(), PATIENCE);
                    Endpoint second = Endpoint.connect(server.address(), PATIENCE)) {
                Iterator<Endpoint> clients = List.of(first, second).iterator();
                GrantedMemory granted = steps.take(() -> clients.next().grant(4096, PATIENCE, REMOTE_READ));
                steps.end(granted);
            }
            over.set(true);
            serving.join();
        }
    }

    /** A client whose call failed may have connected before. Then another client comes. */
    private static void serve(EndpointServer server, AtomicBoolean over) {
        List<Endpoint> accepted = new ArrayList<>();
        while (!over.get()) {
            server.accept(Duration.ofMillis(20)).ifPresent(accepted::add);
        }
        accepted.forEach(Endpoint::close);
    }
}
