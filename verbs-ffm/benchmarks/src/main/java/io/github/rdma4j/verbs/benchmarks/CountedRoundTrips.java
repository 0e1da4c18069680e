// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Locale;

/**
 * Counts round trips of two bytes between two ends that one thread drives, with verbs and with endpoints: instructions,
 * counted by the emulator. {@code scripts/bench verbs --sums} starts it in the microVM, and endpoint-twin.c for
 * comparison.
 */
public final class CountedRoundTrips {
    /** Calls that are short and many: a loop that is entered seldom is interpreted when it is entered again. */
    private static final int WARM_UP = 2_000;

    private static final int WARM_UP_TRIPS = 25;
    private static final int RUNS = 8;
    private static final int TRIPS = 1_000;
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final Instructions counter;
    private long received;

    private CountedRoundTrips(Instructions counter) {
        this.counter = counter;
    }

    @FunctionalInterface
    private interface Trips {
        void go(int trips) throws Exception;
    }

    /** Arguments: the kind (verbs, c or endpoints), the address and the device. */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("endpoints")) {
            CountedEndpoints.measure(
                    arguments[1],
                    config -> config.spinLimit(Duration.ZERO),
                    TIMEOUT,
                    (client, server, counter) -> new CountedRoundTrips(counter).ofEndpoints(client, server));
            return;
        }
        try (DeviceContext device = DeviceContext.open(arguments[2]);
                Instructions counter = Instructions.open()) {
            LatencyEnd a = new LatencyEnd(device);
            LatencyEnd b = new LatencyEnd(device);
            LatencyEnd.connect(a, b);
            new CountedRoundTrips(counter).ofVerbs(a, b, arguments[0].equals("c"));
        }
    }

    private void ofVerbs(LatencyEnd a, LatencyEnd b, boolean inC) throws Exception {
        MemorySegment times = Arena.global().allocate(JAVA_LONG, TRIPS);
        if (inC) {
            measure("verbs, C", trips -> Latency.sendInC(a, b, trips, times));
        } else {
            LatencyLoops loops = new LatencyLoops(a, b);
            measure("verbs, Java", trips -> loops.send(trips, times));
        }
    }

    private void ofEndpoints(Endpoint client, Endpoint server) throws Exception {
        MemorySegment message = Arena.global().allocate(LatencyEnd.MESSAGE_SIZE);
        MessageHandler handler = arrived -> received += arrived.length();
        measure("endpoints, Java", trips -> {
            for (int i = 0; i < trips; i++) {
                send(client, server, message, handler);
                send(server, client, message, handler);
            }
        });
    }

    private static void send(Endpoint from, Endpoint to, MemorySegment message, MessageHandler handler) {
        while (from.trySend(message) != Endpoint.OK) {
            from.poll(handler);
        }
        while (to.poll(handler) == 0) {
            Thread.onSpinWait();
        }
    }

    private void measure(String name, Trips trips) throws Exception {
        for (int call = 0; call < WARM_UP; call++) {
            trips.go(WARM_UP_TRIPS);
        }
        trips.go(TRIPS);
        // The least of several: a compiler may be at work in one.
        double user = Double.MAX_VALUE;
        double kernel = Double.MAX_VALUE;
        for (int run = 0; run < RUNS; run++) {
            Instructions.Counts counts = counter.of(() -> trips.go(TRIPS));
            user = Math.min(user, (double) counts.user() / TRIPS);
            kernel = Math.min(kernel, (double) counts.kernel() / TRIPS);
        }
        System.out.printf(
                Locale.ROOT,
                "%-24s %10.0f instructions outside the kernel %10.0f in it, a round trip of %d bytes%n",
                name,
                user,
                kernel,
                LatencyEnd.MESSAGE_SIZE);
    }
}
