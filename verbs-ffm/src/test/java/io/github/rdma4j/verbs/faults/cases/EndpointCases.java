// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults.cases;

import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.faults.FaultCase;
import io.github.rdma4j.verbs.faults.Steps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
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
                new FaultCase("endpoint client", 110, EndpointCases::client),
                new FaultCase("endpoint selector", 8, EndpointCases::selector));
    }

    private static void server(Steps steps) {
        EndpointServer server = steps.make(() -> EndpointServer.bind(CmTestNet.ipv4()));
        steps.end(server);
    }

    /** The server is none of the case's, but what the selector asks of it is. */
    private static void selector(Steps steps) {
        try (EndpointServer server = EndpointServer.bind(CmTestNet.ipv4())) {
            EndpointSelector selector = steps.make(EndpointSelector::open);
            steps.run(() -> selector.add(server, ready -> {}));
            steps.take(() -> selectAsleep(selector));
            steps.end(selector);
        }
    }

    /** A select that sleeps, however slow the machine is: it is woken when it does. */
    private static int selectAsleep(EndpointSelector selector) {
        Thread selecting = Thread.currentThread();
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> waking = CompletableFuture.runAsync(() -> {
            while (!over.get() && !isAsleep(selecting)) {
                Thread.onSpinWait();
            }
            if (!over.get()) {
                selector.wakeUp();
            }
        });
        try {
            return selector.select(PATIENCE);
        } finally {
            over.set(true);
            waking.join();
        }
    }

    private static boolean isAsleep(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("poll")
                        && frame.getClassName().endsWith(".FileDescriptors"));
    }

    /** The server's half runs on another thread, so that its calls are none of the case's. */
    private static void client(Steps steps) {
        AtomicBoolean over = new AtomicBoolean();
        try (EndpointServer server = EndpointServer.bind(CmTestNet.ipv4())) {
            CompletableFuture<Void> serving = CompletableFuture.runAsync(() -> serve(server, over));
            Endpoint client = steps.take(() -> Endpoint.connect(server.address(), PATIENCE));
            steps.end(client);
            over.set(true);
            serving.join();
        }
    }

    /** A client whose call failed may have got as far as this; then another one comes. */
    private static void serve(EndpointServer server, AtomicBoolean over) {
        List<Endpoint> accepted = new ArrayList<>();
        while (!over.get()) {
            server.accept(Duration.ofMillis(20)).ifPresent(accepted::add);
        }
        accepted.forEach(Endpoint::close);
    }
}
