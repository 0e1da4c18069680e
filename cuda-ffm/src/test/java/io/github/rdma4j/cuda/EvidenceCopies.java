// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Prints bandwidths of pinned copies, for each size in KiB that is an argument: steps 5 and 6 of scripts/gpu-evidence.
 * With {@code c} as the first argument those of the C program too, C and Java by turns, and times of streams and
 * events.
 */
final class EvidenceCopies {
    private static final int TURNS = 3;
    private static final int ROUNDS = 20;
    private static final int CALLS = 1000;
    private static final int NODES = 20;
    private static final int ASKED = 1;
    private static final int ANSWERED = 2;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private EvidenceCopies() {}

    public static void main(String[] arguments) {
        boolean withC = arguments[0].equals("c");
        String library = System.getProperty("io.github.rdma4j.cuda.library", "libcuda.so.1");
        for (String size : Arrays.asList(arguments).subList(withC ? 1 : 0, arguments.length)) {
            long bytes = Long.parseLong(size) << 10;
            CopyBandwidth c = new CopyBandwidth(0, 0);
            CopyBandwidth java = c;
            for (int turn = 0; turn < TURNS; turn++) {
                if (withC) {
                    c = c.orBetter(CopyBandwidth.ofC(Path.of("."), library, bytes, ROUNDS));
                }
                java = java.orBetter(CopyBandwidth.ofJava(bytes, ROUNDS));
            }
            System.out.printf("pinned copies of %s KiB: %sJava %s%n", size, withC ? "C " + c + "; " : "", java);
        }
        if (withC) {
            printStreamsAndEvents();
        }
    }

    private static void printStreamsAndEvents() {
        try (CudaContext context = Cuda.device(0).retainPrimaryContext()) {
            CudaStream stream = context.createStream();
            CudaEvent event = context.createEvent();
            printTime("an event recorded and waited for", () -> {
                event.record(stream);
                if (!event.await(LIMIT)) {
                    throw new AssertionError("an event is not reached after " + LIMIT);
                }
            });
            printTime("a stream made and closed", () -> context.createStream().close());
            HostMemory words = context.allocateHost(64);
            MemoryOperations batch = MemoryOperations.on(context.device(), 1).writeValue(words, 0, 1);
            printTime("a value written by a batch, and waited for", () -> {
                stream.submit(batch);
                await(stream);
            });
            CudaGraphExec graph = stream.capture(CaptureMode.THREAD_LOCAL, captured -> {
                        for (int i = 0; i < NODES; i++) {
                            captured.submit(batch);
                        }
                    })
                    .instantiate();
            printTime("a graph of " + NODES + " batches launched, and waited for", () -> {
                graph.launch(stream);
                await(stream);
            });
            printAnswers(context, stream, words);
            words.close();
            graph.close();
        }
    }

    /** What a proxy of gpudirect needs: a stream asks by a word, and a thread of the host answers. */
    private static void printAnswers(CudaContext context, CudaStream stream, HostMemory words) {
        MemoryOperations ask = MemoryOperations.on(context.device(), 2)
                .writeValue(words, 0, ASKED)
                .waitForValue(words, 0, ANSWERED, WaitCondition.EQUAL);
        AtomicBoolean over = new AtomicBoolean();
        VarHandle word = ValueLayout.JAVA_INT.varHandle();
        Thread answerer = Thread.ofPlatform().daemon().start(() -> {
            while (!over.get()) {
                if (!word.compareAndSet(words.segment(), 0L, ASKED, ANSWERED)) {
                    Thread.yield();
                }
            }
        });
        try {
            long start = System.nanoTime();
            for (int i = 0; i < CALLS; i++) {
                stream.submit(ask);
            }
            await(stream);
            System.out.printf(
                    "a stream asks, and a thread answers: %d ns (mean of %d in a row)%n",
                    (System.nanoTime() - start) / CALLS, CALLS);
        } finally {
            over.set(true);
        }
        try {
            answerer.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(CudaStream stream) {
        if (!stream.await(LIMIT)) {
            throw new AssertionError("the work of a stream is not done after " + LIMIT);
        }
    }

    /** The median: a first call loads classes, and some meet a pause. */
    private static void printTime(String what, Runnable call) {
        long[] nanoseconds = new long[CALLS];
        for (int i = 0; i < CALLS; i++) {
            long start = System.nanoTime();
            call.run();
            nanoseconds[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanoseconds);
        System.out.printf("%s: %d ns in Java (median of %d)%n", what, nanoseconds[CALLS / 2], CALLS);
    }
}
