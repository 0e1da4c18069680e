// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * Measures the cost of waiting: alternating round trips of 64 bytes between two threads of one process, over an
 * endpoint and over a TCP connection. {@code scripts/bench verbs --endpoints} starts it in the microVM.
 */
public final class RoundTrips {
    private static final int BYTES = 64;
    private static final int PER_ROUND = 200;
    private static final int WARM_UP_ROUNDS = 12;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private RoundTrips() {}

    /** Sends a message and waits for the next one. */
    private interface Exchange {
        void send() throws IOException;

        void receive() throws IOException;
    }

    /** Two connected ends, and the kind of thread that waits there. */
    private record Way(String name, Exchange client, Exchange server, boolean virtual, Figures figures) {}

    /** Of each round: microseconds of one round trip, and of the processor for it. */
    private record Figures(List<Double> micros, List<Double> cpuMicros) {}

    private static final class OverEndpoint implements Exchange {
        private final Endpoint endpoint;
        private final boolean asleep;
        private final MemorySegment message = Arena.global().allocate(BYTES);

        OverEndpoint(Endpoint endpoint, boolean asleep) {
            this.endpoint = endpoint;
            this.asleep = asleep;
        }

        @Override
        public void send() {
            if (!endpoint.send(message, TIMEOUT)) {
                throw new IllegalStateException("no credit in " + TIMEOUT);
            }
        }

        @Override
        public void receive() {
            if (asleep) {
                if (!endpoint.receive(received -> {}, TIMEOUT)) {
                    throw new IllegalStateException("no message in " + TIMEOUT);
                }
            } else {
                while (endpoint.poll(received -> {}) == 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private record OverTcp(SocketChannel channel, ByteBuffer buffer) implements Exchange {
        @Override
        public void send() throws IOException {
            buffer.clear();
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        }

        @Override
        public void receive() throws IOException {
            buffer.clear();
            while (buffer.hasRemaining()) {
                if (channel.read(buffer) < 0) {
                    throw new IOException("closed");
                }
            }
        }
    }

    private static Way endpoints(String name, InetAddress address, Duration spin, boolean polls, boolean virtual)
            throws Exception {
        return endpoints(name, Transport.RDMA, address, spin, polls, virtual);
    }

    private static Way endpoints(
            String name, Transport transport, InetAddress address, Duration spin, boolean polls, boolean virtual)
            throws Exception {
        EndpointServer server = EndpointServer.bind(
                new InetSocketAddress(address, 0),
                config -> config.transport(transport).spinLimit(spin));
        FutureTask<Endpoint> accepted =
                new FutureTask<>(() -> server.accept(TIMEOUT).orElseThrow());
        Thread.ofPlatform().daemon().start(accepted);
        Endpoint client = Endpoint.connect(
                server.address(), config -> config.transport(transport).spinLimit(spin), TIMEOUT);
        Endpoint atServer = accepted.get();
        awaitRdma(transport, client, atServer);
        return new Way(
                name,
                new OverEndpoint(client, !polls),
                new OverEndpoint(atServer, !polls),
                virtual,
                new Figures(new ArrayList<>(), new ArrayList<>()));
    }

    /** Endpoints with failover start over TCP. */
    private static void awaitRdma(Transport transport, Endpoint... ends) {
        long start = System.nanoTime();
        for (Endpoint end : ends) {
            while (transport == Transport.RDMA_WITH_FAILOVER && end.transport() != Transport.RDMA) {
                for (Endpoint each : ends) {
                    each.poll(message -> {});
                }
                if (System.nanoTime() - start > TIMEOUT.toNanos()) {
                    throw new IllegalStateException("over TCP still: " + end.rdmaFailure());
                }
            }
        }
    }

    private static Way tcp(String name, InetAddress address, boolean virtual) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(address, 0));
            SocketChannel client = SocketChannel.open(server.getLocalAddress());
            SocketChannel accepted = server.accept();
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            accepted.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return new Way(
                    name,
                    new OverTcp(client, ByteBuffer.allocateDirect(BYTES)),
                    new OverTcp(accepted, ByteBuffer.allocateDirect(BYTES)),
                    virtual,
                    new Figures(new ArrayList<>(), new ArrayList<>()));
        }
    }

    private static void round(Way way, boolean counts) throws Exception {
        Callable<Void> answering = () -> {
            for (int i = 0; i < PER_ROUND; i++) {
                way.server.receive();
                way.server.send();
            }
            return null;
        };
        Callable<Void> asking = () -> {
            for (int i = 0; i < PER_ROUND; i++) {
                way.client.send();
                way.client.receive();
            }
            return null;
        };
        long cpu = processorNanos();
        long start = System.nanoTime();
        FutureTask<Void> answers = start(way, answering);
        FutureTask<Void> questions = start(way, asking);
        questions.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        answers.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        if (counts) {
            way.figures.micros.add((System.nanoTime() - start) / 1e3 / PER_ROUND);
            way.figures.cpuMicros.add((processorNanos() - cpu) / 1e3 / PER_ROUND);
        }
    }

    private static FutureTask<Void> start(Way way, Callable<Void> loop) {
        FutureTask<Void> task = new FutureTask<>(loop);
        (way.virtual ? Thread.ofVirtual() : Thread.ofPlatform()).start(task);
        return task;
    }

    private static long processorNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static double quantile(List<Double> values, double part) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted[(int) Math.round(part * (sorted.length - 1))];
    }

    /**
     * Measures and prints.
     *
     * @param arguments the address of an RDMA device, and the number of rounds
     * @throws Exception if a connection fails
     */
    public static void main(String[] arguments) throws Exception {
        InetAddress address = InetAddress.getByName(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        Duration adaptive = Duration.ofNanos(200_000);
        Duration longer = Duration.ofMillis(2);
        List<Way> ways = List.of(
                tcp("TCP, platform threads", address, false),
                endpoints("endpoint, asleep", address, Duration.ZERO, false, false),
                endpoints("endpoint, spinLimit 200 us", address, adaptive, false, false),
                endpoints("endpoint, spinLimit 2 ms", address, longer, false, false),
                endpoints("endpoint, polled", address, Duration.ZERO, true, false),
                endpoints(
                        "endpoint with failover, asleep",
                        Transport.RDMA_WITH_FAILOVER,
                        address,
                        Duration.ZERO,
                        false,
                        false),
                endpoints(
                        "endpoint with failover, polled",
                        Transport.RDMA_WITH_FAILOVER,
                        address,
                        Duration.ZERO,
                        true,
                        false),
                endpoints("endpoint over TCP, asleep", Transport.TCP, address, Duration.ZERO, false, false),
                endpoints("endpoint over TCP, spinLimit 200 us", Transport.TCP, address, adaptive, false, false),
                tcp("TCP, virtual threads", address, true),
                endpoints("endpoint, asleep, virtual", address, Duration.ZERO, false, true),
                endpoints("endpoint, spinLimit 200 us, virtual", address, adaptive, false, true),
                endpoints("endpoint, spinLimit 2 ms, virtual", address, longer, false, true));
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            for (Way way : ways) {
                round(way, round >= 0);
            }
        }
        System.out.printf("| %-36s | %9s | %13s | %9s | %11s |%n", "way", "us", "quartiles", "CPU us", "beside TCP");
        System.out.println("|---|---|---|---|---|");
        Way beside = null;
        for (Way way : ways) {
            beside = way.name.startsWith("TCP") ? way : beside;
            double[] ratios = new double[rounds];
            for (int i = 0; i < rounds; i++) {
                ratios[i] = way.figures.micros.get(i) / beside.figures.micros.get(i);
            }
            Arrays.sort(ratios);
            System.out.printf(
                    "| %-36s | %9.1f | %6.1f–%6.1f | %9.1f | %11.3f |%n",
                    way.name,
                    quantile(way.figures.micros, 0.5),
                    quantile(way.figures.micros, 0.25),
                    quantile(way.figures.micros, 0.75),
                    quantile(way.figures.cpuMicros, 0.5),
                    ratios[rounds / 2]);
        }
        System.exit(0);
    }
}
