// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointException;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Measures the cost of a message while JDK Flight Recorder records: instructions, counted by the emulator, of a message
 * that is polled for, and of a round trip between two threads that sleep while they wait.
 * {@code scripts/bench verbs --recorded} starts it in the microVM, without a recording and with several.
 */
public final class Recorded {
    private static final int BYTES = 64;
    private static final int WARM_UP = 400;
    private static final int RUNS = 8;
    private static final int MESSAGES = 200;
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final MemorySegment message = Arena.global().allocate(BYTES);
    private final MessageHandler handler = _ -> {};
    private final Endpoint client;
    private final Endpoint server;

    private Recorded(Endpoint client, Endpoint server) {
        this.client = client;
        this.server = server;
    }

    /** Arguments: a description of the recording, and the address. */
    public static void main(String[] arguments) throws Exception {
        Consumer<EndpointConfig> settings = config -> config.spinLimit(Duration.ZERO);
        CountedEndpoints.measure(arguments[1], settings, TIMEOUT, (client, server, counter) -> {
            Recorded recorded = new Recorded(client, server);
            recorded.measure(arguments[0], "a message, polled", counter, recorded::poll);
            Thread.ofPlatform().daemon().start(recorded::answer);
            recorded.measure(arguments[0], "a round trip, asleep", counter, recorded::ask);
        });
    }

    private void measure(String recording, String what, Instructions counter, Instructions.Action action)
            throws Exception {
        for (int call = 0; call < WARM_UP; call++) {
            action.run();
        }
        // The lowest of several counts, because compilers or the recorder's own threads may run during one.
        double user = Double.MAX_VALUE;
        double kernel = Double.MAX_VALUE;
        for (int run = 0; run < RUNS; run++) {
            Instructions.Counts counts = counter.of(action);
            user = Math.min(user, (double) counts.user() / MESSAGES);
            kernel = Math.min(kernel, (double) counts.kernel() / MESSAGES);
        }
        System.out.printf(
                Locale.ROOT,
                "%-28s %-22s %8.0f instructions outside the kernel %8.0f in it%n",
                recording,
                what,
                user,
                kernel);
    }

    private void poll() {
        for (int i = 0; i < MESSAGES; i++) {
            while (client.trySend(message) != Endpoint.OK) {
                client.poll(handler);
            }
            while (server.poll(handler) == 0) {
                Thread.onSpinWait();
            }
        }
    }

    private void ask() {
        for (int i = 0; i < MESSAGES; i++) {
            if (!client.send(message, TIMEOUT) || !client.receive(handler, TIMEOUT)) {
                throw new IllegalStateException("no answer within " + TIMEOUT.toSeconds() + " s");
            }
        }
    }

    private void answer() {
        MemorySegment answer = Arena.global().allocate(BYTES);
        try {
            while (server.receive(handler, TIMEOUT)) {
                server.send(answer, TIMEOUT);
            }
        } catch (IllegalStateException | EndpointException e) {
            // It was closed: all is measured.
        }
    }
}
