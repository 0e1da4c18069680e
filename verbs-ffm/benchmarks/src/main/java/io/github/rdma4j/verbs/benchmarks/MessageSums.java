// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Measures the cost of an endpoint's message, sent and received by one thread, with and without checksums, over each
 * transport: instructions, counted by the emulator. {@code scripts/bench verbs --sums} starts it in the microVM, once
 * for each kind, so that each JVM has compiled only that kind.
 */
public final class MessageSums {
    private static final int[] SIZES = {8, 64, 512, 4096, 32_768};
    private static final int LONGEST = 32_768;
    /** Calls that are short and many: a loop that is entered seldom is interpreted when it is entered again. */
    private static final int WARM_UP = 4_000;

    /** And as many of each size, because a compiler may have dropped its code of the loop. */
    private static final int WARM_UP_OF_SIZE = 700;

    private static final int WARM_UP_MESSAGES = 25;
    private static final int MOST_RUNS = 8;
    private static final int MESSAGES = 1_000;
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final Endpoint client;
    private final Endpoint server;
    private final MessageHandler handler;
    private long received;

    private MessageSums(Endpoint client, Endpoint server) {
        this.client = client;
        this.server = server;
        this.handler = message -> received += message.length();
    }

    /** Arguments: a transport, whether with sums, and the address. */
    public static void main(String[] arguments) throws Exception {
        Transport transport = Transport.valueOf(arguments[0]);
        boolean sums = Boolean.parseBoolean(arguments[1]);
        Consumer<EndpointConfig> settings = config -> {
            config.transport(transport).maxMessageSize(LONGEST).spinLimit(Duration.ZERO);
            if (sums) {
                // Called only here, so that older classes without sums can also be measured.
                config.integrity(true);
            }
        };
        CountedEndpoints.measure(arguments[2], settings, TIMEOUT, (client, server, counter) -> {
            awaitRdma(transport, client, server);
            new MessageSums(client, server).measure(transport, sums, counter);
        });
    }

    /** With failover, endpoints start over TCP. */
    private static void awaitRdma(Transport transport, Endpoint client, Endpoint server) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (transport == Transport.RDMA_WITH_FAILOVER
                && (client.transport() == Transport.TCP || server.transport() == Transport.TCP)) {
            client.poll(_ -> {});
            server.poll(_ -> {});
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException(
                        "still over TCP", client.rdmaFailure().orElse(null));
            }
        }
    }

    private void measure(Transport transport, boolean sums, Instructions counter) throws Exception {
        for (int call = 0; call < WARM_UP; call++) {
            send(SIZES[call % SIZES.length], WARM_UP_MESSAGES);
        }
        for (int size : SIZES) {
            for (int call = 0; call < WARM_UP_OF_SIZE; call++) {
                send(size, WARM_UP_MESSAGES);
            }
            send(size, MESSAGES);
            // The least of several: a compiler may be at work in one.
            double user = Double.MAX_VALUE;
            double kernel = Double.MAX_VALUE;
            for (int run = 0; run < MOST_RUNS; run++) {
                Instructions.Counts counts = counter.of(() -> send(size, MESSAGES));
                user = Math.min(user, (double) counts.user() / MESSAGES);
                kernel = Math.min(kernel, (double) counts.kernel() / MESSAGES);
            }
            System.out.printf(
                    Locale.ROOT,
                    "%-18s %-12s %6d bytes %10.0f instructions outside the kernel %10.0f in it%n",
                    transport,
                    sums ? "with sums" : "without sums",
                    size,
                    user,
                    kernel);
        }
    }

    private void send(int size, int count) {
        MemorySegment message = Arena.ofAuto().allocate(size);
        for (int i = 0; i < count; i++) {
            while (client.trySend(message) != Endpoint.OK) {
                client.poll(handler);
            }
            while (server.poll(handler) == 0) {
                Thread.onSpinWait();
            }
        }
    }
}
