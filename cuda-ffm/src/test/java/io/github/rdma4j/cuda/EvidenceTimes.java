// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Prints the times of streams, events, batches, graphs, launches and short copies, in Java and in driver-times.c by
 * turns: step 6 of scripts/evidence gpu. Arguments: the compiled C program, and the file kernels.ptx.
 */
final class EvidenceTimes {
    private static final int TURNS = 3;
    private static final int CALLS = 2000;
    private static final int LOT = 100;
    private static final int BATCHES = 20;
    private static final int ASKED = 1;
    private static final int ANSWERED = 2;
    private static final Duration LIMIT = Duration.ofSeconds(20);
    /** Descriptions of the operations, by their names in driver-times.c. */
    private static final Map<String, String> NAMES = new LinkedHashMap<>();

    static {
        NAMES.put("event", "an event recorded and waited for");
        NAMES.put("stream", "a stream made and closed");
        NAMES.put("batch", "a value written by a batch, and waited for");
        NAMES.put("graph", "a graph of " + BATCHES + " batches launched, and waited for");
        NAMES.put("launch-wait", "a kernel launched, and waited for");
        NAMES.put("copy-wait", "8 pinned bytes copied to the device, and waited for");
        NAMES.put("launch", "a kernel launched, of " + LOT + " in a row");
        NAMES.put("copy", "8 pinned bytes copied, of " + LOT + " in a row");
        NAMES.put("answer", "a stream asks, and a thread answers, of " + CALLS + " in a row");
    }

    private final Map<String, Long> times = new LinkedHashMap<>();

    private EvidenceTimes() {}

    public static void main(String[] arguments) throws IOException {
        String library = System.getProperty("io.github.rdma4j.cuda.library", "libcuda.so.1");
        Map<String, Long> c = new LinkedHashMap<>();
        Map<String, Long> java = new LinkedHashMap<>();
        for (int turn = 0; turn < TURNS; turn++) {
            ofC(arguments[0], library, arguments[1]).forEach((name, time) -> c.merge(name, time, Math::min));
            EvidenceTimes measured = new EvidenceTimes();
            measured.measure();
            measured.times.forEach((name, time) -> java.merge(name, time, Math::min));
        }
        System.out.printf("%-62s %9s %9s%n", "nanoseconds, the best of " + TURNS + " turns", "C", "Java");
        NAMES.forEach((name, text) -> System.out.printf("%-62s %9d %9d%n", text, c.get(name), java.get(name)));
        System.out.printf("(medians of %d calls; of those in a row means)%n", CALLS);
    }

    private static Map<String, Long> ofC(String program, String library, String kernels) throws IOException {
        Process process = new ProcessBuilder(program, library, kernels, Integer.toString(CALLS))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Map<String, Long> result = new LinkedHashMap<>();
        for (String line : output.strip().split("\\n")) {
            String[] words = line.split(" ");
            if (words.length != 2 || !NAMES.containsKey(words[0])) {
                throw new AssertionError(program + ": " + output);
            }
            result.put(words[0], Long.parseLong(words[1]));
        }
        return result;
    }

    private void measure() {
        try (CudaContext context = Cuda.device(0).retainPrimaryContext()) {
            CudaStream stream = context.createStream();
            CudaEvent event = context.createEvent();
            HostMemory words = context.allocateHost(64);
            words.segment().fill((byte) 0);
            DeviceMemory memory = context.allocate(64);
            CudaKernel kernel = context.loadModule(Kernels.ptx()).kernel("increment");
            KernelArguments arguments =
                    KernelArguments.of(2).setPointer(0, memory).setInt(1, 1);
            MemoryOperations batch = MemoryOperations.on(context.device(), 1).writeValue(words, 0, 1);
            CudaGraphExec graph = stream.capture(CaptureMode.THREAD_LOCAL, captured -> {
                        for (int i = 0; i < BATCHES; i++) {
                            captured.submit(batch);
                        }
                    })
                    .instantiate();
            median("event", () -> {
                event.record(stream);
                if (!event.await(LIMIT)) {
                    throw new AssertionError("an event is not reached after " + LIMIT);
                }
            });
            median("stream", () -> context.createStream().close());
            medianWithWait("batch", stream, () -> stream.submit(batch));
            medianWithWait("graph", stream, () -> graph.launch(stream));
            medianWithWait("launch-wait", stream, () -> stream.launch(kernel, 1, 32, arguments));
            medianWithWait("copy-wait", stream, () -> stream.copyToDevice(memory, 0, words, 0, 8));
            meanOfLots("launch", stream, () -> stream.launch(kernel, 1, 32, arguments));
            meanOfLots("copy", stream, () -> stream.copyToDevice(memory, 0, words, 0, 8));
            answers(context, stream, words);
        }
    }

    private static void await(CudaStream stream) {
        if (!stream.await(LIMIT)) {
            throw new AssertionError("the work of a stream is not done after " + LIMIT);
        }
    }

    private void medianWithWait(String name, CudaStream stream, Runnable call) {
        median(name, () -> {
            call.run();
            await(stream);
        });
    }

    private void median(String name, Runnable call) {
        long[] nanoseconds = new long[CALLS];
        for (int turn = 0; turn < 2; turn++) { // the first warms up
            for (int i = 0; i < CALLS; i++) {
                long start = System.nanoTime();
                call.run();
                nanoseconds[i] = System.nanoTime() - start;
            }
        }
        Arrays.sort(nanoseconds);
        times.put(name, nanoseconds[CALLS / 2]);
    }

    /** In lots that the stream's queue holds, so that a call never waits for the GPU. */
    private void meanOfLots(String name, CudaStream stream, Runnable call) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < CALLS / LOT; i++) {
            long start = System.nanoTime();
            for (int j = 0; j < LOT; j++) {
                call.run();
            }
            best = Math.min(best, (System.nanoTime() - start) / LOT);
            await(stream);
        }
        times.put(name, best);
    }

    /** The round trip of a proxy of gpudirect: a stream writes a word, and a thread of the host answers. */
    private void answers(CudaContext context, CudaStream stream, HostMemory words) {
        MemoryOperations ask = MemoryOperations.on(context.device(), 2)
                .writeValue(words, 0, ASKED)
                .waitForValue(words, 0, ANSWERED, WaitCondition.EQUAL);
        AtomicBoolean over = new AtomicBoolean();
        VarHandle word = ValueLayout.JAVA_INT.varHandle();
        Thread answerer = Thread.ofPlatform().daemon().start(() -> {
            while (!over.get()) {
                if ((int) word.getAcquire(words.segment(), 0L) == ASKED) {
                    word.setRelease(words.segment(), 0L, ANSWERED);
                }
            }
        });
        try {
            long start = 0;
            for (int turn = 0; turn < 2; turn++) {
                start = System.nanoTime();
                for (int i = 0; i < CALLS; i++) {
                    stream.submit(ask);
                }
                await(stream);
            }
            times.put("answer", (System.nanoTime() - start) / CALLS);
        } finally {
            over.set(true);
        }
        try {
            answerer.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
