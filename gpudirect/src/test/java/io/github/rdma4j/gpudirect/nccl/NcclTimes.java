// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaEvent;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.EventFlag;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * What an operation of one rank costs in each mode, C and Java by turns. NCCL copies where nothing has to be added
 * (cuMemcpyAsync), does nothing in place, and launches a kernel for a send to itself: the first two show what the call
 * alone costs.
 */
final class NcclTimes {
    /** Names the compiled nccl-allreduce.c. */
    private static final String PROGRAM = "rdma4j.test.ncclAllReduce";

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int MOST = 4 << 20;
    private static final int ROUNDS = 5;
    private static final int COLD = 100;
    private static final int WARM_UP = 10_000;
    private static final long WARM_UP_NANOS = 2_500_000_000L;

    /** The measured operations, with their names in the C program. */
    private enum Kind {
        APART("apart"),
        IN_PLACE("in-place"),
        SELF("self");

        private final String word;

        Kind(String word) {
            this.word = word;
        }
    }

    private record Cell(Kind kind, int bytes) {}

    private static final List<Cell> CELLS = List.of(
            new Cell(Kind.IN_PLACE, 8),
            new Cell(Kind.APART, 8),
            new Cell(Kind.APART, 64 << 10),
            new Cell(Kind.APART, MOST),
            new Cell(Kind.SELF, 8),
            new Cell(Kind.SELF, MOST));

    /** Nanoseconds of one operation: until all were given to NCCL, until the stream was done, and by CUDA's events. */
    private record Times(double given, double done, double events) {
        static Times median(List<Times> all) {
            return new Times(
                    median(all.stream().mapToDouble(Times::given).toArray()),
                    median(all.stream().mapToDouble(Times::done).toArray()),
                    median(all.stream().mapToDouble(Times::events).toArray()));
        }

        private static double median(double[] values) {
            Arrays.sort(values);
            return values[values.length / 2];
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%9.0f %9.0f %9.0f", given, done, events);
        }
    }

    private final int operations;
    private final Map<NcclMode, NcclCommunicator> communicators = new EnumMap<>(NcclMode.class);
    private final CudaStream stream;
    private final CudaEvent start;
    private final CudaEvent end;
    private final DeviceMemory send;
    private final DeviceMemory receive;

    private NcclTimes(CudaContext context, int operations) {
        this.operations = operations;
        stream = context.createStream();
        start = context.createEvent(EventFlag.TIMING);
        end = context.createEvent(EventFlag.TIMING);
        send = context.allocate(MOST);
        receive = context.allocate(MOST);
        for (NcclMode mode : NcclMode.values()) {
            NcclCommunicator made =
                    NcclCommunicator.init(context, 1, 0, NcclUniqueId.create(), config -> config.mode(mode));
            made.await(LIMIT);
            communicators.put(mode, made);
        }
    }

    /**
     * Measures and prints.
     *
     * @param context the primary one; what is made of it is closed with it
     * @param operations in a round of small ones
     */
    static void print(CudaContext context, int operations) {
        NcclTimes times = new NcclTimes(context, operations);
        try (CProgram c = CProgram.start()) {
            times.print(c);
        } finally {
            times.communicators.values().forEach(NcclCommunicator::close);
        }
    }

    private void print(CProgram c) {
        IO.println("  the first %d operations, none compiled (given, done, events, ns): %s"
                .formatted(COLD, java(NcclMode.BLOCKING, new Cell(Kind.APART, 8), COLD)));
        warmUp();
        IO.println("  ns of an operation, %s: until given to NCCL, until the stream was done, by CUDA's events"
                .formatted("medians of " + ROUNDS + " rounds by turns of " + operations));
        IO.println("  kind        bytes  mode                                      C"
                + "                            Java");
        for (Cell cell : CELLS) {
            int count = cell.bytes == MOST ? Math.max(1, operations / 5) : operations;
            Map<NcclMode, List<Times>> ofC = new EnumMap<>(NcclMode.class);
            Map<NcclMode, List<Times>> ofJava = new EnumMap<>(NcclMode.class);
            for (int round = 0; round < ROUNDS; round++) {
                for (NcclMode mode : NcclMode.values()) {
                    if (c != null) {
                        ofC.computeIfAbsent(mode, _ -> new ArrayList<>()).add(c.ask(mode, cell, count));
                    }
                    ofJava.computeIfAbsent(mode, _ -> new ArrayList<>()).add(java(mode, cell, count));
                }
            }
            for (NcclMode mode : NcclMode.values()) {
                IO.println("  %-8s %8d  %-12s   %s   %s"
                        .formatted(
                                cell.kind.word,
                                cell.bytes,
                                mode,
                                c == null ? "    not there                " : Times.median(ofC.get(mode)),
                                Times.median(ofJava.get(mode))));
            }
        }
    }

    /** Every mode and kind is new to the compiler, which may be busy with it for longer than the first calls take. */
    private void warmUp() {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        for (NcclMode mode : NcclMode.values()) {
            for (Kind kind : Kind.values()) {
                long begin = System.nanoTime();
                long before;
                do {
                    before = compiler.getTotalCompilationTime();
                    for (int i = 0; i < WARM_UP && System.nanoTime() - begin < WARM_UP_NANOS; i += COLD) {
                        java(mode, new Cell(kind, 8), COLD);
                    }
                } while (compiler.getTotalCompilationTime() != before && System.nanoTime() - begin < WARM_UP_NANOS);
            }
        }
    }

    private Times java(NcclMode mode, Cell cell, int count) {
        NcclCommunicator communicator = communicators.get(mode);
        start.record(stream);
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            one(communicator, cell);
        }
        if (mode == NcclMode.NON_BLOCKING) {
            communicator.await(LIMIT);
        }
        long given = System.nanoTime();
        end.record(stream);
        while (!stream.isDone()) {
            if (System.nanoTime() - given > LIMIT.toNanos()) {
                throw new AssertionError("the stream is not done after " + LIMIT);
            }
        }
        long done = System.nanoTime();
        if (!end.await(LIMIT)) {
            throw new AssertionError("an event is not reached after " + LIMIT);
        }
        return new Times(
                (double) (given - begin) / count,
                (double) (done - begin) / count,
                end.millisecondsSince(start) * 1e6 / count);
    }

    private void one(NcclCommunicator communicator, Cell cell) {
        NcclDataType type = NcclDataType.FLOAT32;
        if (cell.kind == Kind.SELF) {
            NcclGroup.run(() -> {
                communicator.send(send.slice(0, cell.bytes), type, 0, stream);
                communicator.receive(receive.slice(0, cell.bytes), type, 0, stream);
            });
        } else {
            communicator.allReduce(
                    (cell.kind == Kind.APART ? send : receive).slice(0, cell.bytes),
                    receive.slice(0, cell.bytes),
                    type,
                    NcclOperation.SUM,
                    stream);
        }
    }

    /** Lives while it is asked, so that C and Java can take turns. */
    private record CProgram(Process process, PrintStream questions, BufferedReader answers) implements AutoCloseable {
        /** Null where there is no program. */
        static CProgram start() {
            String program = System.getProperty(PROGRAM);
            if (program == null) {
                return null;
            }
            try {
                Process process = new ProcessBuilder(
                                program,
                                System.getProperty("io.github.rdma4j.cuda.library", "libcuda.so.1"),
                                System.getProperty("io.github.rdma4j.nccl.library", "libnccl.so.2"))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                // Whatever it waits for: its answers end with it.
                CompletableFuture.delayedExecutor(2 * LIMIT.toSeconds(), TimeUnit.SECONDS)
                        .execute(process::destroyForcibly);
                CProgram made = new CProgram(
                        process,
                        new PrintStream(process.getOutputStream(), true, StandardCharsets.US_ASCII),
                        process.inputReader(StandardCharsets.US_ASCII));
                made.line();
                return made;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private String line() {
            try {
                String line = answers.readLine();
                if (line == null) {
                    throw new AssertionError("the C program has ended");
                }
                return line;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        Times ask(NcclMode mode, Cell cell, int count) {
            String word = switch (mode) {
                case BLOCKING -> "blocking";
                case BOUNDED -> "bounded";
                case NON_BLOCKING -> "late";
            };
            questions.println("%s %s %d %d".formatted(word, cell.kind.word, cell.bytes, count));
            String[] times = line().split(" ");
            return new Times(Double.parseDouble(times[0]), Double.parseDouble(times[1]), Double.parseDouble(times[2]));
        }

        @Override
        public void close() {
            questions.close();
            IO.println("  C, a communicator made and destroyed, ms: " + line());
            try {
                if (!process.waitFor(10, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }
}
