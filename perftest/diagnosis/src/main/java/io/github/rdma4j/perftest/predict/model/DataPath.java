// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * A data path and the times of its parts. The parts work on different messages at the same time, so the slowest part
 * limits a stream of messages, unless too few messages are in flight.
 *
 * @param kind the kind of path
 * @param copies the steps that move the bytes, in order
 * @param loads the load of a message on each link
 * @param latency microseconds of an empty message, one way
 * @param service microseconds per message that do not overlap with other messages
 * @param processors CPU time of both machines
 */
public record DataPath(
        PathKind kind,
        List<String> copies,
        List<Load> loads,
        double latency,
        ServiceTime service,
        ProcessorTime processors) {
    /** The cost of each message, whatever its size. */
    public static final String MESSAGES = "messages";

    /** The processor that touches each packet or byte. */
    public static final String PROCESSOR = "processor";

    /** The messages in flight. */
    public static final String DEPTH = "depth";

    private static final double MICROSECONDS = 1e6;

    /** Copies the lists. */
    public DataPath {
        copies = List.copyOf(copies);
        loads = List.copyOf(loads);
    }

    /**
     * Time that is spent one message after the other.
     *
     * @param message microseconds for each
     * @param packet microseconds for each packet
     * @param packetBytes bytes of a packet
     * @param kibibyte microseconds for each 1024 bytes
     */
    public record ServiceTime(double message, double packet, int packetBytes, double kibibyte) {
        /** Microseconds of a message. */
        public double of(long size) {
            return message + packet * Math.ceilDiv(Math.max(1, size), packetBytes) + kibibyte * size / 1024;
        }

        /** Microseconds for each byte of long messages. */
        double perByte() {
            return packet / packetBytes + kibibyte / 1024;
        }
    }

    /**
     * Processor time.
     *
     * @param message microseconds for each message
     * @param gibibyte seconds for each 2³⁰ bytes
     */
    public record ProcessorTime(double message, double gibibyte) {
        /** Seconds for 2³⁰ bytes in messages of a size. */
        public double perGibibyte(long size) {
            return gibibyte + message / MICROSECONDS * (1 << 30) / size;
        }
    }

    /**
     * The expected performance of a size.
     *
     * @param size bytes of a message
     * @param bandwidth bytes per second
     * @param limit bytes per second that the slowest part allows for messages of this size, without the cost of each
     *     message
     * @param bound the limiting part: a link with its direction, {@link #MESSAGES}, {@link #PROCESSOR} or {@link
     *     #DEPTH}
     * @param processor seconds of CPU time for 2³⁰ bytes
     */
    public record Expectation(long size, double bandwidth, double limit, String bound, double processor) {}

    /** Seconds that a message takes on each link, by the link's name and direction. */
    private Map<String, Double> times(ToDoubleFunction<Load> bytes) {
        return loads.stream()
                .collect(Collectors.groupingBy(
                        Load::name,
                        LinkedHashMap::new,
                        Collectors.summingDouble(load -> bytes.applyAsDouble(load) / load.capacity())));
    }

    private static Map.Entry<String, Double> slowest(Map<String, Double> times) {
        return times.entrySet().stream()
                .max(Comparator.comparingDouble(Map.Entry::getValue))
                // No link limits what software moves within a machine.
                .orElse(Map.entry(PROCESSOR, 0.0));
    }

    /** Bytes per second that the slowest link leaves long messages. */
    public double limit() {
        return 1 / Math.max(slowest(times(Load::perByte)).getValue(), service.perByte() / MICROSECONDS);
    }

    /** Bytes per second that each link leaves long messages, by name and direction. */
    public Map<String, Double> limits() {
        Map<String, Double> limits = times(Load::perByte);
        limits.values().removeIf(seconds -> seconds == 0);
        limits.replaceAll((_, seconds) -> 1 / seconds);
        return limits;
    }

    /** Returns the limit of long messages. */
    public String bottleneck() {
        Map.Entry<String, Double> link = slowest(times(Load::perByte));
        return service.perByte() / MICROSECONDS > link.getValue() ? PROCESSOR : link.getKey();
    }

    /**
     * Returns the expected performance of messages of a size.
     *
     * @param size bytes, from 1
     * @param depth the number of messages that may be in flight, from 1
     */
    public Expectation expect(long size, int depth) {
        Ranges.within("depth", depth, 1, Integer.MAX_VALUE);
        if (size < 1) {
            throw new IllegalArgumentException("size: " + size + " is below 1");
        }
        Map.Entry<String, Double> link = slowest(times(load -> load.bytes(size)));
        double messages = service.of(size) / MICROSECONDS;
        // A single message passes all parts one after the other.
        double alone = latency / MICROSECONDS + messages + link.getValue();
        double turn = alone / depth;
        double busiest = Math.max(link.getValue(), messages);
        double bytes = messages - service.message() / MICROSECONDS;
        String bound = turn > busiest
                ? DEPTH
                : messages <= link.getValue()
                        ? link.getKey()
                        : bytes > service.message() / MICROSECONDS ? PROCESSOR : MESSAGES;
        return new Expectation(
                size,
                size / Math.max(turn, busiest),
                size / Math.max(link.getValue(), bytes),
                bound,
                processors.perGibibyte(size));
    }

    /** Microseconds of one message from end to end. */
    public double oneWay(long size) {
        return latency + slowest(times(load -> load.bytes(size))).getValue() * MICROSECONDS;
    }
}
