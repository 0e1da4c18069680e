// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.benchmarks.Report;
import io.github.rdma4j.verbs.DeviceContext;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Latency of write, send and read on a real device, alternately in Java and in C: the same loop over the same two queue
 * pairs, which are connected to each other and driven by one thread. {@code scripts/bench verbs --latency} starts it in
 * the microVM, where a clock that counts instructions makes the figures repeatable.
 */
public final class Latency {
    private static final double LIMIT = 1.05;
    private static final FunctionDescriptor LOOP =
            FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS);

    private final int iterations;
    private final LatencyEnd a;
    private final LatencyEnd b;
    private final LatencyLoops java;
    private final MemorySegment times;

    private Latency(DeviceContext device, int iterations) {
        this.iterations = iterations;
        a = new LatencyEnd(device);
        b = new LatencyEnd(device);
        LatencyEnd.connect(a, b);
        java = new LatencyLoops(a, b);
        times = Arena.global().allocate(JAVA_LONG, iterations);
    }

    private enum Operation {
        WRITE("write, half a round trip", "c_write_latency", 2),
        SEND("send, half a round trip", "c_send_latency", 2),
        READ("read", "c_read_latency", 1);

        private final String text;
        private final MethodHandle loop;
        private final int messages;

        Operation(String text, String function, int messages) {
            Path library = Path.of(System.getProperty(CLoops.FOLDER), "librdma4j-latency.so");
            MemorySegment address =
                    SymbolLookup.libraryLookup(library, Arena.global()).findOrThrow(function);
            this.text = text;
            this.loop = Linker.nativeLinker().downcallHandle(address, LOOP);
            this.messages = messages;
        }

        void inC(LatencyEnd a, LatencyEnd b, int iterations, MemorySegment times) {
            long result;
            try {
                result = (long) loop.invokeExact(a.forC(), b.forC(), (long) iterations, times);
            } catch (Throwable e) {
                throw new AssertionError("a downcall cannot throw this", e);
            }
            if (result != 0) {
                throw new IllegalStateException(this + " failed in C");
            }
        }
    }

    /**
     * Runs it.
     *
     * @param arguments device, rounds, iterations per round, iterations to warm up
     * @throws Throwable if a verb fails
     */
    public static void main(String[] arguments) throws Throwable {
        Locale.setDefault(Locale.ROOT);
        int rounds = Integer.parseInt(arguments[1]);
        try (DeviceContext device = DeviceContext.open(arguments[0])) {
            Latency latency = new Latency(device, Integer.parseInt(arguments[2]));
            System.out.println(
                    "| operation, 2 bytes | C, µs: best (median) | Java, µs: best (median) | Java / C: best (median) |"
                            + " allowed | verdict |");
            System.out.println("|---|---:|---:|---:|---:|---|");
            for (Operation operation : Operation.values()) {
                latency.warmUp(operation, Integer.parseInt(arguments[3]));
                latency.compare(operation, rounds);
            }
        }
        System.out.printf(
                "%nThe median of %s iterations, of %d rounds the best and the median round; C and Java by turns; two"
                        + " queue pairs of %s, one thread; %s.%n",
                arguments[2], rounds, arguments[0], Report.conditions());
    }

    private void warmUp(Operation operation, int warmUp) throws Throwable {
        for (int done = 0; done < warmUp; done += iterations) {
            inJava(operation);
        }
        inC(operation);
    }

    private void compare(Operation operation, int rounds) throws Throwable {
        double[] c = new double[rounds];
        double[] inJava = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            if (round % 2 == 0) {
                c[round] = inC(operation);
                inJava[round] = inJava(operation);
            } else {
                inJava[round] = inJava(operation);
                c[round] = inC(operation);
            }
        }
        Arrays.sort(c);
        Arrays.sort(inJava);
        double best = inJava[0] / c[0];
        System.out.printf(
                "| %s | %.2f (%.2f) | %.2f (%.2f) | %.3f (%.3f) | %.2f | %s |%n",
                operation.text,
                c[0] / 1000,
                c[rounds / 2] / 1000,
                inJava[0] / 1000,
                inJava[rounds / 2] / 1000,
                best,
                inJava[rounds / 2] / c[rounds / 2],
                LIMIT,
                best <= LIMIT ? "met" : "**missed**");
    }

    private double inC(Operation operation) {
        operation.inC(a, b, iterations, times);
        return median(operation);
    }

    /** Round trips of sends in C, without the rest. */
    static void sendInC(LatencyEnd a, LatencyEnd b, int iterations, MemorySegment times) {
        Operation.SEND.inC(a, b, iterations, times);
    }

    private double inJava(Operation operation) {
        switch (operation) {
            case WRITE -> java.write(iterations, times);
            case SEND -> java.send(iterations, times);
            case READ -> java.read(iterations, times);
        }
        return median(operation);
    }

    /** Of one message, in nanoseconds. */
    private double median(Operation operation) {
        long[] sorted = times.toArray(JAVA_LONG);
        Arrays.sort(sorted);
        return (double) sorted[sorted.length / 2] / operation.messages;
    }
}
