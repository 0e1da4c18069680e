// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.stream.RunControl;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class RunMonitorTest {
    private static final Duration PATIENT = Duration.ofSeconds(20);

    private static void spin(RunControl control, boolean advancing) throws InterruptedException {
        while (control.running()) {
            if (advancing) {
                control.advance(1);
            }
            Thread.sleep(1);
        }
    }

    @Test
    void aTimedRunHasAMeasuredPart() throws InterruptedException {
        RunControl control = new RunControl();
        RunMonitor monitor = RunMonitor.ofTimed(
                control, () -> false, PATIENT, (_, _) -> {}, Duration.ofSeconds(1), Duration.ofMillis(250));
        long begin = System.nanoTime();
        spin(control, true);
        long lasted = System.nanoTime() - begin;
        monitor.close();
        assertThat(monitor.failure()).isNull();
        assertThat(lasted).isCloseTo(1_000_000_000L, Percentage.withPercentage(30));
        assertThat(monitor.sampledNanoseconds()).isCloseTo(500_000_000L, Percentage.withPercentage(30));
    }

    @Test
    void aCountedRunGoesOnUntilItEndsByItself() throws InterruptedException {
        RunControl control = new RunControl();
        RunMonitor monitor = RunMonitor.ofCounted(control, () -> false, PATIENT, (_, _) -> {});
        Thread.sleep(300);
        monitor.close();
        assertThat(control.running()).isTrue();
        assertThat(control.sampling()).isFalse();
        assertThat(monitor.failure()).isNull();
    }

    @Test
    void aPeerThatLeavesEndsTheRunAfterAGrace() throws InterruptedException {
        RunControl control = new RunControl();
        RunMonitor monitor = RunMonitor.ofCounted(control, () -> true, PATIENT, (_, _) -> {});
        long begin = System.nanoTime();
        spin(control, false);
        monitor.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(5));
        assertThat(monitor.failure()).contains("closed the connection in the middle of the run");
    }

    @Test
    void aRunThatMovesIsNotAskedForItsPeer() throws InterruptedException {
        RunControl control = new RunControl();
        AtomicLong asked = new AtomicLong();
        RunMonitor monitor = RunMonitor.ofTimed(
                control,
                () -> asked.incrementAndGet() < 0,
                PATIENT,
                (_, _) -> {},
                Duration.ofSeconds(1),
                Duration.ZERO);
        while (control.running()) {
            control.advance(1);
        }
        monitor.close();
        assertThat(asked).hasValueLessThan(3);
    }

    @Test
    void aRunThatStandsStillIsBrokenOff() throws InterruptedException {
        RunControl control = new RunControl();
        RunMonitor monitor = RunMonitor.ofCounted(control, () -> false, Duration.ofSeconds(1), (_, _) -> {});
        spin(control, false);
        monitor.close();
        assertThat(monitor.failure()).contains("nothing has moved for 1 s");
    }

    @Test
    void aTimedRunsPeerMayBeALittleAhead() throws InterruptedException {
        RunControl control = new RunControl();
        RunMonitor monitor = RunMonitor.ofTimed(
                control, () -> true, PATIENT, (_, _) -> {}, Duration.ofSeconds(1), Duration.ofMillis(100));
        spin(control, false);
        monitor.close();
        assertThat(monitor.failure()).isNull();
        assertThat(monitor.sampledNanoseconds()).isPositive();
    }

    @Test
    void progressIsToldAfterASecond() throws InterruptedException {
        RunControl control = new RunControl();
        AtomicLong first = new AtomicLong();
        RunMonitor monitor = RunMonitor.ofTimed(
                control,
                () -> false,
                PATIENT,
                (messages, elapsed) -> {
                    assertThat(messages).isPositive();
                    first.compareAndSet(0, elapsed);
                },
                Duration.ofSeconds(2),
                Duration.ZERO);
        spin(control, true);
        monitor.close();
        assertThat(Duration.ofNanos(first.get())).isBetween(Duration.ofSeconds(1), Duration.ofMillis(1800));
    }
}
