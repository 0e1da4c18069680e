// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CaptureMode;
import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaGraphExec;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.cuda.MemoryOperations;
import io.github.rdma4j.cuda.WaitCondition;
import io.github.rdma4j.verbs.Device;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Prints what it takes a stream to be answered by a thread of the host, and ping-pong driven by the host beside ping-pong
 * in the order of streams: a part of step 6 of scripts/gpu-evidence. The processor time is that of the thread that a
 * program would do something else with. Arguments: rounds.
 */
final class EvidenceOrdered {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();
    private static final int ASKED = 1;
    private static final int ANSWERED = 2;

    private EvidenceOrdered() {}

    /** What is measured. */
    private interface Run {
        /** Whether each round came to its end in time. */
        boolean play(int rounds) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        answers(rounds);
        if (Device.list().isEmpty()) {
            System.out.println("ping-pong: not possible here, there is no RDMA device");
            return;
        }
        Path folder = Files.createTempDirectory("rdma4j-evidence");
        byHost(rounds, folder);
        inOrder(rounds, folder);
    }

    private static void print(String what, int rounds, Run run) throws Exception {
        // Once for what is made at the first time.
        require(run.play(Math.min(rounds, 20)), what);
        long processor = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        long start = System.nanoTime();
        require(run.play(rounds), what);
        long time = System.nanoTime() - start;
        processor = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - processor;
        System.out.printf(
                "%-52s %9.2f us a round, of which %5.1f %% processor time of the calling thread%n",
                what, time / 1e3 / rounds, 100.0 * processor / time);
    }

    private static void require(boolean ended, String what) {
        if (!ended) {
            throw new AssertionError(what + ": not done after " + LIMIT);
        }
    }

    /** One word: the stream asks, a thread of the host answers. */
    private static void answers(int rounds) throws Exception {
        try (CudaContext context = Cuda.device(0).createContext()) {
            CudaStream stream = context.createStream();
            HostMemory word = context.allocateHost(4);
            word.segment().set(ValueLayout.JAVA_INT, 0, ANSWERED);
            AtomicBoolean over = new AtomicBoolean();
            Thread answerer = Thread.ofPlatform().daemon().start(() -> {
                while (!over.get()) {
                    if (!WORD.compareAndSet(word.segment(), 0L, ASKED, ANSWERED)) {
                        Thread.yield();
                    }
                    Thread.onSpinWait();
                }
            });
            MemoryOperations ask = MemoryOperations.on(context.device(), 2)
                    .writeValue(word, 0, ASKED)
                    .waitForValue(word, 0, ANSWERED, WaitCondition.EQUAL);
            CudaGraphExec graph = stream.capture(CaptureMode.THREAD_LOCAL, captured -> {
                        for (int i = 0; i < 10; i++) {
                            captured.submit(ask);
                        }
                    })
                    .instantiate();
            print("a stream asks, a thread answers; batches", rounds, count -> {
                for (int i = 0; i < count; i++) {
                    stream.submit(ask);
                }
                return stream.await(LIMIT);
            });
            print("the same, graphs of ten", rounds, count -> {
                for (int i = 0; i < count; i += 10) {
                    graph.launch(stream);
                }
                return stream.await(LIMIT);
            });
            over.set(true);
            answerer.join();
        }
    }

    /** The host waits for each kernel, posts, polls, and launches the next one. */
    private static void byHost(int rounds, Path folder) throws Exception {
        try (StreamSide left = new StreamSide(GpuSide.Where.STAGED, folder);
                StreamSide right = new StreamSide(GpuSide.Where.STAGED, folder)) {
            GpuSide.connect(left.side, right.side);
            print("ping-pong driven by the host, staged", rounds, count -> {
                for (int i = 0; i < count; i++) {
                    if (!turn(left, right) || !turn(right, left)) {
                        return false;
                    }
                }
                return true;
            });
        }
    }

    private static boolean turn(StreamSide from, StreamSide to) {
        from.stream.launch(from.increment, 1, 32, from.counter);
        if (!until(from.stream::isDone)) {
            return false;
        }
        Transfer receive = to.side.receive(0, StreamSide.BALL);
        Transfer send = from.side.send(0, StreamSide.BALL);
        return until(() -> {
            from.side.channel.progress();
            to.side.channel.progress();
            return send.isEnded() && receive.isEnded();
        });
    }

    private static boolean until(BooleanSupplier done) {
        long start = System.nanoTime();
        while (!done.getAsBoolean()) {
            if (System.nanoTime() - start > LIMIT.toNanos()) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    /** The host gives the streams all rounds, and waits for the last. */
    private static void inOrder(int rounds, Path folder) throws Exception {
        try (StreamSide left = new StreamSide(GpuSide.Where.STAGED, folder);
                StreamSide right = new StreamSide(GpuSide.Where.STAGED, folder);
                StreamProxy proxy = StreamProxy.start()) {
            StreamSide.connect(left, right, proxy, config -> {});
            CudaGraphExec mine = left.stream
                    .capture(CaptureMode.THREAD_LOCAL, stream -> {
                        left.enqueueHit(stream);
                        left.enqueueArrival(stream);
                    })
                    .instantiate();
            CudaGraphExec theirs = right.stream
                    .capture(CaptureMode.THREAD_LOCAL, stream -> {
                        right.enqueueArrival(stream);
                        right.enqueueHit(stream);
                    })
                    .instantiate();
            print("ping-pong in the order of streams, staged", rounds, count -> {
                for (int i = 0; i < count; i++) {
                    left.enqueueHit(left.stream);
                    left.enqueueArrival(left.stream);
                    right.enqueueArrival(right.stream);
                    right.enqueueHit(right.stream);
                }
                return left.stream.await(LIMIT) && right.stream.await(LIMIT);
            });
            print("the same by graphs", rounds, count -> {
                for (int i = 0; i < count; i++) {
                    mine.launch(left.stream);
                    theirs.launch(right.stream);
                }
                return left.stream.await(LIMIT) && right.stream.await(LIMIT);
            });
            left.channel.failure().ifPresent(failure -> {
                throw failure;
            });
        }
    }
}
