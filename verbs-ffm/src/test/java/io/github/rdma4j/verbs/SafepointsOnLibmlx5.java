// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thread that polls an empty queue, compiled by HotSpot's second compiler, can be stopped: by the garbage collector,
 * and by a close, which makes all threads pass a handshake.
 */
@Timeout(300)
class SafepointsOnLibmlx5 {
    /** Short ones, by which the loop is compiled as a method; the JVM runs with -Xbatch. */
    private static final int CALLS = 20_000;

    private static final int SHORT = 5;

    /** A loop that cannot be stopped ends after so many polls, which take about a minute, and the test fails. */
    private static final int MANY = 1_000_000_000;

    private final WorkCompletions completions = WorkCompletions.allocate(1);
    private int left;
    private volatile boolean stopped;

    private void poll(CompletionQueue queue) {
        while (queue.poll(completions) == 0 && !stopped && --left > 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void loopThatPollsAnEmptyQueueStops() throws InterruptedException {
        try (DeviceContext device = DeviceContext.open(Mlx5StandIn.DEVICE)) {
            CompletionQueue queue = device.createCompletionQueue(16);
            CountDownLatch compiled = new CountDownLatch(1);
            // One thread for both, since the compiled code is for the thread that owns the queue's guard.
            Thread thread = Thread.ofPlatform().daemon().start(() -> {
                for (int i = 0; i < CALLS; i++) {
                    left = SHORT;
                    poll(queue);
                }
                left = MANY;
                compiled.countDown();
                poll(queue);
            });
            compiled.await();
            Thread.sleep(Duration.ofMillis(100));
            System.gc();
            Arena.ofShared().close();
            int leftThen = left;
            stopped = true;
            thread.join();
            assertThat(leftThen).as("calls that the loop had still to make").isPositive();
        }
    }
}
