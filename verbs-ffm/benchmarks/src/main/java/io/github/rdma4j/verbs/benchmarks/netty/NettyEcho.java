// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks.netty;

import io.github.rdma4j.verbs.benchmarks.Instructions;
import io.github.rdma4j.verbs.benchmarks.Instructions.Counts;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * The same Netty echo program over RDMA and over TCP. {@code scripts/bench netty} starts it. Prints rows of a table in
 * Markdown, with the heading if it measures by the clock.
 */
public final class NettyEcho {
    /** {@code scripts/bench netty --transports}, in this order. */
    private static final List<Transport> ALL = Stream.of(System.getProperty("rdma4j.benchmarks.transports", "rdma,nio")
                    .split(","))
            .map(name -> Transport.valueOf(name.toUpperCase(Locale.ROOT)))
            .toList();

    private static final double[] SHARES = {0.25, 0.5, 0.75};
    private static final long WARM_UP_MESSAGES = 20_000;
    /**
     * The compiler works for longer than it seems: parts that differ by less than a percent occur as early as the
     * tenth, but after the fiftieth part of 2,000 messages, a message takes up to a seventh less.
     */
    private static final long MESSAGES_TO_COUNT = 150_000;

    private static final long MESSAGES_OF_PART = 2_000;
    /** Each connection sends this many messages in a part, which starts and ends without messages in flight. */
    private static final long MESSAGES_OF_CONNECTION = 10;

    private final InetSocketAddress address;
    private final List<Integer> sizes;
    private final List<Integer> connections;

    private NettyEcho(InetSocketAddress address, List<Integer> sizes, List<Integer> connections) {
        this.address = address;
        this.sizes = sizes;
        this.connections = connections;
    }

    /**
     * Measures.
     *
     * @param arguments {@code count}, or {@code clock} followed by rounds and seconds; then the address of a network
     *     interface with an RDMA device, sizes in bytes from 8 and numbers of connections, separated by commas
     * @throws Exception if a connection fails, or an echo is wrong or missing
     */
    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.ROOT);
        boolean counts = arguments[0].equals("count");
        String[] rest = Arrays.copyOfRange(arguments, counts ? 1 : 3, arguments.length);
        NettyEcho echo = new NettyEcho(new InetSocketAddress(rest[0], 0), numbers(rest[1]), numbers(rest[2]));
        if (counts) {
            echo.count();
        } else {
            echo.clock(Integer.parseInt(arguments[1]), Double.parseDouble(arguments[2]));
        }
        // Threads of Netty that are no event loops go on for a second.
        System.exit(0);
    }

    private static List<Integer> numbers(String list) {
        return Stream.of(list.split(",")).map(Integer::valueOf).toList();
    }

    // ---- Instructions ----

    private void count() throws Exception {
        try (Instructions instructions = Instructions.open()) {
            for (int size : sizes) {
                for (int number : connections) {
                    for (Transport transport : ALL) {
                        count(instructions, transport, size, number);
                    }
                }
            }
        }
    }

    private void count(Instructions instructions, Transport transport, int size, int number) throws Exception {
        long messages = Math.max(MESSAGES_OF_PART, MESSAGES_OF_CONNECTION * number);
        int most = Math.toIntExact(MESSAGES_TO_COUNT / messages);
        try (Echo echo = new Echo(transport, address, size, number, false)) {
            List<Counts> parts = new ArrayList<>();
            while (parts.size() < most) {
                parts.add(instructions.of(() -> echo.closedLoop(messages)));
            }
            // Its echo is also a message.
            double each = 2.0 * messages;
            System.out.printf(
                    "| %d | %d | %s | %.0f | %.0f |%n",
                    size, number, transport, median(parts, Counts::user) / each, median(parts, Counts::kernel) / each);
        }
    }

    /** Of the last third. */
    private static double median(List<Counts> parts, ToDoubleFunction<Counts> value) {
        int last = parts.size() / 3;
        return median(parts.subList(parts.size() - last, parts.size()).stream().mapToDouble(value));
    }

    // ---- The clock ----

    private void clock(int rounds, double seconds) throws Exception {
        System.out.println(
                "| bytes | connections | messages offered, 1/s | transport | answered, 1/s | p50, µs | p99, µs"
                        + " | CPU of the server for a message, µs | of it outside the kernel | heap, bytes |");
        System.out.println("|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|");
        for (int size : sizes) {
            for (int number : connections) {
                clock(rounds, seconds, size, number);
            }
        }
    }

    private void clock(int rounds, double seconds, int size, int number) throws Exception {
        Map<Transport, Echo> echoes = new EnumMap<>(Transport.class);
        try {
            for (Transport transport : ALL) {
                echoes.put(transport, new Echo(transport, address, size, number, true));
            }
            double slowest = Double.MAX_VALUE;
            for (Echo echo : echoes.values()) {
                slowest = Math.min(slowest, echo.closedLoop(WARM_UP_MESSAGES).rate());
            }
            double rate = slowest;
            row(
                    size,
                    number,
                    "one on each connection",
                    rounds,
                    echoes,
                    echo -> echo.closedLoop((long) (rate * seconds)));
            for (double share : SHARES) {
                double offered = Math.ceil(share * rate / 100) * 100;
                row(size, number, "%.0f".formatted(offered), rounds, echoes, echo -> echo.openLoop(offered, seconds));
            }
        } finally {
            for (Echo echo : echoes.values()) {
                echo.close();
            }
        }
    }

    /** The measurement of each round. */
    private interface Measurement {
        Figures of(Echo echo) throws Exception;
    }

    private static void row(
            int size, int number, String offered, int rounds, Map<Transport, Echo> echoes, Measurement measurement)
            throws Exception {
        Map<Transport, List<Figures>> found = new EnumMap<>(Transport.class);
        for (int round = 0; round < rounds; round++) {
            // A round starts with the transport that ended the previous round.
            for (Transport transport : round % 2 == 0 ? ALL : ALL.reversed()) {
                found.computeIfAbsent(transport, each -> new ArrayList<>()).add(measurement.of(echoes.get(transport)));
            }
        }
        for (Transport transport : ALL) {
            List<Figures> all = found.get(transport);
            System.out.printf(
                    "| %d | %d | %s | %s | %.0f | %.0f | %.0f | %.1f | %.1f | %.0f |%n",
                    size,
                    number,
                    offered,
                    transport,
                    middle(all, Figures::rate),
                    middle(all, figures -> figures.percentileMicros(0.5)),
                    middle(all, figures -> figures.percentileMicros(0.99)),
                    middle(all, Figures::cpuMicros),
                    middle(all, Figures::userMicros),
                    middle(all, Figures::bytes));
        }
    }

    private static double middle(List<Figures> rounds, ToDoubleFunction<Figures> value) {
        return median(rounds.stream().mapToDouble(value));
    }

    private static double median(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
