// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Counts round trips between the endpoints of two groups, which one thread drives with two selectors: instructions,
 * counted by the emulator, and the resources of the process. {@code scripts/bench verbs --peers} starts it in the
 * microVM, and peers-twin.c for comparison.
 */
public final class CountedPeers {
    private static final int BYTES = 64;
    private static final Consumer<EndpointConfig> SMALL = config ->
            config.receiveBuffers(8).sendDepth(8).maxMessageSize(BYTES).spinLimit(Duration.ZERO);
    /** Calls that are short and many: a loop that is entered seldom is interpreted when it is entered again. */
    private static final int WARM_UP = 1_500;

    private static final int WARM_UP_TRIPS = 20;
    private static final int RUNS = 3;
    private static final int MOST = 1_000;
    /**
     * Occasional events, such as credits and reported completions, occur once within this many round trips of each
     * peer.
     */
    private static final int PERIOD = 8;

    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final MemorySegment message = Arena.global().allocate(BYTES);
    private final EndpointSelector atServer = EndpointSelector.open(Duration.ZERO);
    private final EndpointSelector atClients = EndpointSelector.open(Duration.ZERO);
    private final List<Endpoint> clients = new ArrayList<>();
    private int first;
    private int asked;
    private int answered;

    private CountedPeers() {}

    /** Arguments: the address, and how many endpoints each side has, at most 1,000. */
    public static void main(String[] arguments) throws Exception {
        int peers = Integer.parseInt(arguments[1]);
        CountedPeers counted = new CountedPeers();
        // The endpoints end with the process.
        try (Instructions counter = Instructions.open();
                EndpointGroup here = EndpointGroup.open(peers);
                EndpointGroup there = EndpointGroup.open(peers);
                EndpointServer server = EndpointServer.bind(
                        new InetSocketAddress(arguments[0], 0), config -> SMALL.accept(config.group(there)))) {
            counted.connect(server, here, peers);
            counted.measure(counter, peers, 1);
            counted.measure(counter, peers, peers);
            print();
        }
    }

    private void connect(EndpointServer server, EndpointGroup group, int peers) throws Exception {
        FutureTask<List<Endpoint>> accepted = new FutureTask<>(() -> {
            List<Endpoint> all = new ArrayList<>();
            while (all.size() < peers) {
                all.add(server.accept(TIMEOUT).orElseThrow());
            }
            return all;
        });
        Thread.ofPlatform().daemon().start(accepted);
        while (clients.size() < peers) {
            Endpoint client = Endpoint.connect(server.address(), config -> SMALL.accept(config.group(group)), TIMEOUT);
            clients.add(client);
            atClients.add(client, _ -> answered++, _ -> {});
        }
        for (Endpoint endpoint : accepted.get()) {
            atServer.add(
                    endpoint,
                    question -> {
                        send(endpoint, question.segment());
                        asked++;
                    },
                    _ -> {});
        }
    }

    private static void send(Endpoint from, MemorySegment message) {
        int code = from.trySend(message);
        if (code != Endpoint.OK) {
            throw new IllegalStateException("no room for a message: " + code);
        }
    }

    private void measure(Instructions counter, int peers, int together) throws Exception {
        for (int call = 0; call < WARM_UP; call++) {
            exchange(WARM_UP_TRIPS, Math.min(together, WARM_UP_TRIPS));
        }
        int trips = (MOST / peers / PERIOD + 1) * PERIOD * peers;
        exchange(trips, together);
        // The least of several: a compiler may be at work in one.
        double user = Double.MAX_VALUE;
        double kernel = Double.MAX_VALUE;
        for (int run = 0; run < RUNS; run++) {
            Instructions.Counts counts = counter.of(() -> exchange(trips, together));
            user = Math.min(user, (double) counts.user() / trips);
            kernel = Math.min(kernel, (double) counts.kernel() / trips);
        }
        System.out.printf(
                Locale.ROOT,
                "Java  %4d peers, %4d at once %8.0f instructions outside the kernel %8.0f in it, a round trip%n",
                peers,
                together,
                user,
                kernel);
    }

    /** Some clients send one message each before the server polls; then all answers arrive. */
    private void exchange(int count, int together) {
        for (int trips = 0; trips < count; trips += together) {
            asked = 0;
            answered = 0;
            for (int i = 0; i < together; i++) {
                send(clients.get((first + i) % clients.size()), message);
            }
            while (asked < together) {
                atServer.select(System.nanoTime(), 0);
            }
            while (answered < together) {
                atClients.select(System.nanoTime(), 0);
            }
            first = (first + together) % clients.size();
        }
    }

    /** Prints the resources of the process. */
    private static void print() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            // Without the descriptor that lists them.
            System.out.printf("  descriptors: %d%n", descriptors.count() - 1);
        }
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        System.out.printf("  live heap:\t%8d kB%n", (runtime.totalMemory() - runtime.freeMemory()) / 1024);
        try (Stream<String> status = Files.lines(Path.of("/proc/self/status"))) {
            status.filter(line -> line.startsWith("VmPin") || line.startsWith("VmRSS"))
                    .forEach(line -> System.out.println("  " + line));
        }
    }
}
