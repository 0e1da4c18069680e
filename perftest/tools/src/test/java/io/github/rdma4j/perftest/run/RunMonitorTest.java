// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.stream.RunControl;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
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
    void timedRunHasAMeasuredPart() throws InterruptedException {
        RunControl control = new RunControl();
        long begin = System.nanoTime();
        Sampling reported = new Sampling();
        RunMonitor monitor = RunMonitor.ofTimed(
                control, () -> false, PATIENT, reported, Duration.ofSeconds(1), Duration.ofMillis(250));
        long first = 0;
        long last = 0;
        while (control.running()) {
            control.advance(1);
            long before = System.nanoTime();
            if (control.sampling()) {
                first = first == 0 ? System.nanoTime() : first;
                last = before;
            }
        }
        long lasted = System.nanoTime() - begin;
        monitor.close();
        assertThat(monitor.failure()).isNull();
        assertThat(lasted).isGreaterThanOrEqualTo(1_000_000_000L);
        assertThat(reported.begin - begin).isGreaterThanOrEqualTo(250_000_000L);
        assertThat(reported.end - begin).isGreaterThanOrEqualTo(750_000_000L);
        // Each thread may be late: the measured time is at least what this thread saw and at most what the monitor
        // reported.
        assertThat(monitor.sampledNanoseconds()).isBetween(last - first, reported.end - reported.begin);
    }

    /** The times at which the monitor reported the begin and the end of the measured part. */
    private static final class Sampling implements RunMonitor.ProgressSink {
        private volatile long begin;
        private volatile long end;

        @Override
        public void progress(long messages, long elapsedNanoseconds) {}

        @Override
        public void sampling(boolean begins) {
            if (begins) {
                begin = System.nanoTime();
            } else {
                end = System.nanoTime();
            }
        }
    }

    @Test
    void countedRunGoesOnUntilItEndsByItself() throws InterruptedException {
        RunControl control = new RunControl();
        RunMonitor monitor = RunMonitor.ofCounted(control, () -> false, PATIENT, (_, _) -> {});
        Thread.sleep(300);
        monitor.close();
        assertThat(control.running()).isTrue();
        assertThat(control.sampling()).isFalse();
        assertThat(monitor.failure()).isNull();
    }

    @Test
    void peerThatLeavesEndsTheRunAfterAGrace() throws InterruptedException {
        RunControl control = new RunControl();
        long begin = System.nanoTime();
        RunMonitor monitor = RunMonitor.ofCounted(control, () -> true, PATIENT, (_, _) -> {});
        spin(control, false);
        monitor.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofSeconds(1), PATIENT);
        assertThat(monitor.failure()).contains("closed the connection in the middle of the run");
    }

    @Test
    void runThatMovesIsNotAskedForItsPeer() throws InterruptedException {
        RunControl control = new RunControl();
        AtomicLong asked = new AtomicLong();
        long stalls = 0;
        long stalled = 0;
        // From before the monitor begins until after its end. A thread without a CPU does not advance either.
        long last = System.nanoTime();
        RunMonitor monitor = RunMonitor.ofTimed(
                control,
                () -> asked.incrementAndGet() < 0,
                PATIENT,
                (_, _) -> {},
                Duration.ofSeconds(1),
                Duration.ZERO);
        boolean running = true;
        while (running) {
            running = control.running();
            control.advance(1);
            long now = System.nanoTime();
            if (now - last > 10_000_000) {
                stalls++;
                stalled += now - last;
            }
            last = now;
        }
        monitor.close();
        // A thread that has no processor for a while does not move.
        assertThat(asked).hasValueLessThan(3 + stalls + stalled / 100_000_000);
    }

    @Test
    void runThatStandsStillIsBrokenOff() throws InterruptedException {
        RunControl control = new RunControl();
        RunMonitor monitor = RunMonitor.ofCounted(control, () -> false, Duration.ofSeconds(1), (_, _) -> {});
        spin(control, false);
        monitor.close();
        assertThat(monitor.failure()).contains("nothing has moved for 1 s");
    }

    @Test
    void timedRunsPeerMayBeALittleAhead() throws InterruptedException {
        RunControl control = new RunControl();
        RunMonitor monitor = RunMonitor.ofTimed(
                control, () -> true, PATIENT, (_, _) -> {}, Duration.ofSeconds(1), Duration.ofMillis(100));
        spin(control, false);
        monitor.close();
        assertThat(monitor.failure()).isNull();
        assertThat(monitor.sampledNanoseconds()).isPositive();
    }

    @Test
    void progressIsReportedAfterASecond() throws InterruptedException {
        RunControl control = new RunControl();
        // Something has moved, whenever the monitor looks.
        control.advance(1);
        AtomicLong first = new AtomicLong();
        RunMonitor monitor = RunMonitor.ofTimed(
                control,
                () -> false,
                PATIENT,
                (messages, elapsed) -> {
                    assertThat(messages).isPositive();
                    first.compareAndSet(0, elapsed);
                },
                Duration.ofHours(1),
                Duration.ZERO);
        while (first.get() == 0) {
            control.advance(1);
            Thread.sleep(1);
        }
        monitor.close();
        assertThat(Duration.ofNanos(first.get())).isGreaterThan(Duration.ofSeconds(1));
    }
}
