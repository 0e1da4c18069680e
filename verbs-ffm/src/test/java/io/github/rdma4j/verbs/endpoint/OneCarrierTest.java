// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Virtual threads that share one carrier, and never find a reason to park. */
@Timeout(600)
class OneCarrierTest {
    private static final int CALLS = 2_000;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final MemorySegment MESSAGE = MemorySegment.ofArray(new byte[8]);
    private static final MemoryHandle COUNTER =
            new MemoryHandle(new RemoteMemory(8, 8, 1), Set.of(AccessFlag.REMOTE_ATOMIC, AccessFlag.REMOTE_WRITE));

    private static void transfer(FakePair pair) {
        pair.left.transfers().fetchAndAdd(COUNTER, 1, PATIENCE);
    }

    private static void poll(FakePair pair) {
        pair.left.poll(message -> {});
    }

    private static void message(FakePair pair) {
        pair.left.send(MESSAGE, PATIENCE);
        pair.right.receive(PATIENCE).orElseThrow();
    }

    private static void attempt(FakePair pair) {
        pair.left.trySend(MESSAGE);
        pair.right.poll(message -> {});
    }

    private static void select(FakePair pair) {
        try (EndpointSelector selector = EndpointSelector.open()) {
            selector.add(pair.left, endpoint -> {});
            while (!ended) {
                selector.select(Duration.ZERO);
                COUNT.incrementAndGet();
            }
        }
    }

    private static final AtomicLong COUNT = new AtomicLong();
    private static volatile boolean ended;

    private static FakePair pair(Duration spinLimit) {
        return new FakePair(TestSettings.of(config -> config.sendDepth(8).receiveBuffers(8)), spinLimit);
    }

    private static Thread loop(FakePair pair, Consumer<FakePair> call) {
        return Thread.ofVirtual().start(() -> {
            try {
                while (!ended) {
                    call.accept(pair);
                    COUNT.incrementAndGet();
                }
            } catch (IllegalStateException e) {
                // Closed.
            }
        });
    }

    private static void awaitCalls() throws InterruptedException {
        long end = COUNT.get() + CALLS;
        while (COUNT.get() < end) {
            Thread.sleep(1);
        }
    }

    private static void require(boolean held, String what) {
        System.out.println((held ? "passed: " : "FAILED: ") + what);
    }

    /** In a JVM with one carrier. */
    static final class Program {
        public static void main(String[] arguments) throws Exception {
            platformThreadCloses("transfers", OneCarrierTest::transfer);
            platformThreadCloses("polls", OneCarrierTest::poll);
            virtualThreadRuns("transfers", OneCarrierTest::transfer);
            virtualThreadRuns("polls", OneCarrierTest::poll);
            virtualThreadRuns("sends and receives", OneCarrierTest::message);
            virtualThreadRuns("attempts to send", OneCarrierTest::attempt);
            virtualThreadRuns("selects", OneCarrierTest::select);
            virtualThreadRunsBesideTwoThatSpin();
            System.exit(0);
        }

        /**
         * The queue of the endpoint's lock has a virtual thread in it that does not run, and a platform thread behind
         * it.
         */
        private static void platformThreadCloses(String what, Consumer<FakePair> call) throws Exception {
            FakePair pair = pair(Duration.ZERO);
            List<Thread> readers = List.of(loop(pair, call), loop(pair, call));
            Thread beside = Thread.ofPlatform().start(() -> {
                try {
                    while (true) {
                        pair.left.poll(message -> {});
                    }
                } catch (IllegalStateException e) {
                    // Closed.
                }
            });
            awaitCalls();
            Thread.sleep(100);
            Thread closer = Thread.ofPlatform().daemon().start(() -> pair.left.close(Duration.ofSeconds(1)));
            boolean closed = closer.join(Duration.ofMinutes(1));
            require(closed, "a platform thread closes beside " + what);
            if (closed) {
                beside.join();
                for (Thread reader : readers) {
                    reader.join();
                }
            } else {
                System.exit(1);
            }
        }

        private static void virtualThreadRuns(String what, Consumer<FakePair> call) throws Exception {
            FakePair pair = pair(Duration.ZERO);
            Thread reader = loop(pair, call);
            awaitCalls();
            requireRun(what);
            ended = true;
            reader.join();
            ended = false;
            pair.close();
        }

        private static void virtualThreadRunsBesideTwoThatSpin() throws Exception {
            FakePair pair = pair(PATIENCE);
            Consumer<Endpoint> answer = endpoint -> endpoint.send(MESSAGE, PATIENCE);
            List<Thread> ends = List.of(pingPong(pair.left, answer), pingPong(pair.right, answer));
            answer.accept(pair.left);
            awaitCalls();
            requireRun("two threads that spin for each other's messages");
            pair.close();
            for (Thread end : ends) {
                end.join();
            }
        }

        private static Thread pingPong(Endpoint endpoint, Consumer<Endpoint> answer) {
            return Thread.ofVirtual().start(() -> {
                try {
                    while (endpoint.receive(PATIENCE).isPresent()) {
                        answer.accept(endpoint);
                        COUNT.incrementAndGet();
                    }
                } catch (RuntimeException e) {
                    // Closed.
                }
            });
        }

        private static void requireRun(String what) throws InterruptedException {
            CountDownLatch ran = new CountDownLatch(1);
            Thread.ofVirtual().start(ran::countDown);
            boolean held = ran.await(1, TimeUnit.MINUTES);
            require(held, "a virtual thread runs beside " + what);
            if (!held) {
                System.exit(1);
            }
        }
    }

    @Test
    void callsThatNeverParkLetOtherThreadsRun() throws Exception {
        assertThat(ChildJvm.run(
                        Program.class,
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=1"))
                .hasSize(8)
                .allMatch(line -> line.startsWith("passed: "));
    }
}
