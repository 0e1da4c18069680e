// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

/** Both ends of a connection in this process, and the emulator's counter of instructions. */
final class CountedEndpoints {
    private CountedEndpoints() {}

    /** An action on the endpoints, which are closed after it. */
    @FunctionalInterface
    interface Measurement {
        void run(Endpoint client, Endpoint server, Instructions counter) throws Exception;
    }

    static void measure(String address, Consumer<EndpointConfig> settings, Duration timeout, Measurement measurement)
            throws Exception {
        try (EndpointServer bound = EndpointServer.bind(new InetSocketAddress(address, 0), settings)) {
            FutureTask<Endpoint> accepted =
                    new FutureTask<>(() -> bound.accept(timeout).orElseThrow());
            Thread.ofPlatform().daemon().start(accepted);
            try (Endpoint client = Endpoint.connect(bound.address(), settings, timeout);
                    Endpoint server = accepted.get();
                    Instructions counter = Instructions.open()) {
                measurement.run(client, server, counter);
            }
        }
    }
}
