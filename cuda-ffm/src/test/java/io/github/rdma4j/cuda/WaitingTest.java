// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Tests how long a wait takes, how often it polls, and how an interrupt ends it. */
class WaitingTest {
    private static final Duration SHORT = Duration.ofMillis(40);

    private final AtomicInteger looks = new AtomicInteger();

    private boolean never() {
        looks.incrementAndGet();
        return false;
    }

    @Test
    void completedWorkIsNotAwaited() {
        assertThat(Waiting.until(() -> true, Duration.ZERO, "it")).isTrue();
        assertThat(Waiting.until(() -> true, System.nanoTime() - 1)).isTrue();
        assertThat(Waiting.until(() -> looks.incrementAndGet() == 2, Duration.ZERO, "it"))
                .as("a last look when the time is over")
                .isTrue();
    }

    @Test
    void waitLastsAsLongAsItsTimeout() {
        long start = System.nanoTime();
        assertThat(Waiting.until(this::never, SHORT, "it")).isFalse();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT.toNanos());
        start = System.nanoTime();
        assertThat(Waiting.until(this::never, start + SHORT.toNanos())).isFalse();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT.toNanos());
    }

    /** A thread that spins all the time takes the CPU from the work that it waits for. */
    @Test
    void longWaitPausesBetweenItsLooks() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadCpuTime();
        assertThat(Waiting.until(this::never, Duration.ofMillis(200), "it")).isFalse();
        assertThat(threads.getCurrentThreadCpuTime() - before)
                .isLessThan(Duration.ofMillis(100).toNanos());
    }

    /** Pauses as long as the wait so far would need an hour for so many looks. */
    @Test
    void pausesDoNotMakeALongWaitMuchLonger() {
        long start = System.nanoTime();
        BooleanSupplier seen = () -> System.nanoTime() - start > 1_000_000 && looks.incrementAndGet() == 22;
        assertThat(Waiting.until(seen, Duration.ofMinutes(1), "it")).isTrue();
    }

    @Test
    void interruptEndsTheWaitOfAProgramAndStays() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Waiting.until(this::never, Duration.ofMinutes(1), "waiting for it"))
                .isInstanceOf(CudaWaitInterruptedException.class)
                .hasMessageContaining("waiting for it");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void interruptDoesNotEndAWaitThatMustNotEndHalfDone() {
        Thread.currentThread().interrupt();
        long start = System.nanoTime();
        assertThat(Waiting.until(this::never, start + SHORT.toNanos())).isFalse();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT.toNanos());
        assertThat(Thread.interrupted()).isTrue();
        // Nothing is set that was not.
        assertThat(Waiting.until(this::never, System.nanoTime() + 1_000_000)).isFalse();
        assertThat(Thread.interrupted()).isFalse();
    }
}
