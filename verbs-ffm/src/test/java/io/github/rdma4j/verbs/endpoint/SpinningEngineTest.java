// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** {@link EngineTest} with threads that spin for a while before they sleep. */
class SpinningEngineTest extends EngineTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final MemorySegment MESSAGE = MemorySegment.ofArray(new byte[8]);

    @Override
    Duration spinLimit() {
        return Duration.ofMillis(1);
    }

    /**
     * One thread spins for a credit, another one follows it and waits for a message. A third takes the credit in and
     * says so; when the follower looks before the spinning one does, it finds nothing for itself and follows on. Then
     * the spinning one sends and leaves: the other must take its place, or nobody sees the message come.
     */
    @Test
    void nextWaiterReplacesTheSpinningThread() throws Exception {
        try (FakePair own = new FakePair(
                        config -> config.sendDepth(2).receiveBuffers(2).spinLimit(Duration.ofSeconds(1)));
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (int i = 0; i < 2; i++) {
                assertThat(own.left.send(MESSAGE, PATIENCE)).isTrue();
            }
            for (int round = 0; round < 500; round++) {
                Future<Boolean> sent = threads.submit(() -> own.left.send(MESSAGE, PATIENCE));
                Future<Boolean> received =
                        threads.submit(() -> own.left.receive(PATIENCE).isPresent());
                Thread.sleep(0, 200_000);
                assertThat(own.right.receive(PATIENCE)).isPresent();
                own.left.transfers().pollTransfers((id, original, failure) -> {});
                assertThat(sent.get()).isTrue();
                assertThat(own.right.send(MESSAGE, PATIENCE)).isTrue();
                assertThat(received.get()).isTrue();
            }
        }
    }

    /** As many virtual threads spin as there are carriers; one more, which has work to do, must get one of them. */
    @Test
    void virtualThreadsThatSpinLetOthersRun() throws Exception {
        List<FakePair> pairs = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            try {
                List<Future<Boolean>> spinning = new ArrayList<>();
                for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
                    FakePair own = new FakePair(TestSettings.of(config -> {}), PATIENCE);
                    pairs.add(own);
                    spinning.add(threads.submit(() -> own.left.receive(PATIENCE).isPresent()));
                }
                Thread.sleep(50);
                for (FakePair own : pairs) {
                    Future<Boolean> sent = threads.submit(() -> own.right.send(MESSAGE, PATIENCE));
                    assertThat(sent.get(60, TimeUnit.SECONDS)).isTrue();
                }
                for (Future<Boolean> received : spinning) {
                    assertThat(received.get(60, TimeUnit.SECONDS)).isTrue();
                }
            } finally {
                pairs.forEach(FakePair::close);
            }
        }
    }
}
