// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.stream.RunControl;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With the real clock: a wait may take longer than asked for, but not shorter. */
@Timeout(600)
class LatencyRecorderTest {
    private static final long MILLISECOND = 1_000_000;

    private final RunControl control = new RunControl();

    private static void take(long nanoseconds) {
        long end = System.nanoTime() + nanoseconds;
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    @Test
    void paceOfAnOpenLoop() {
        Pacer pacer = new Pacer(300_000);
        pacer.begin(1_000_000);
        assertThat(List.of(pacer.next(), pacer.next(), pacer.next(), pacer.next()))
                .as("a third of a nanosecond does not add up to an error")
                .containsExactly(1_000_000L, 1_003_333L, 1_006_666L, 1_010_000L);
        assertThat(pacer.number()).isEqualTo(4);
        pacer.begin(5);
        assertThat(pacer.next()).isEqualTo(5);
        Pacer slow = new Pacer(0.5);
        slow.begin(-7);
        slow.next();
        assertThat(slow.next()).isEqualTo(1_999_999_993L);
    }

    @Test
    void countedLoopKeepsEveryTime() {
        LatencyRecorder recorder = LatencyRecorder.counted(control, 2, 5, 1, true);
        for (int i = 0; i < 5; i++) {
            assertThat(recorder.next()).isTrue();
            take(i == 2 ? 20 * MILLISECOND : MILLISECOND);
        }
        recorder.end();
        LatencyFigures figures = recorder.figures().getFirst();
        assertThat(figures.samples()).isEqualTo(4);
        assertThat(figures.minimum()).isGreaterThanOrEqualTo(500);
        assertThat(figures.maximum()).isGreaterThanOrEqualTo(10_000);
        assertThat(recorder.times().count()).isEqualTo(4);
        assertThat(recorder.times().microseconds(2)).isGreaterThanOrEqualTo(10_000);
        assertThat(recorder.pace()).isNull();
    }

    @Test
    void pauseIsBeforeEachPostAndPartOfEachTime() {
        LatencyRecorder recorder =
                LatencyRecorder.counted(control, 1, 4, 1, true).pausing(5 * MILLISECOND);
        assertThat(recorder.paces()).isTrue();
        long begin = System.nanoTime();
        for (int i = 0; i < 4; i++) {
            assertThat(recorder.due()).isTrue();
        }
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(20 * MILLISECOND);
        recorder.end();
        LatencyFigures figures = recorder.figures().getFirst();
        assertThat(figures.samples())
                .as("one less than messages, as without a pause")
                .isEqualTo(3);
        assertThat(figures.minimum()).isGreaterThanOrEqualTo(5000);
        assertThat(recorder.pace()).as("it is a closed loop").isNull();
    }

    @Test
    void pauseOfATimedLoopEndsWithTheRun() {
        LatencyRecorder recorder = LatencyRecorder.timed(control, 1).pausing(3600 * 1000 * MILLISECOND);
        control.enter(RunControl.ENDED);
        assertThat(recorder.due()).isFalse();
        recorder.end();
        assertThat(recorder.count()).isZero();
    }

    @Test
    void withoutAPauseNothingIsPaced() {
        assertThat(LatencyRecorder.timed(control, 1).pausing(0).paces()).isFalse();
    }

    @Test
    void roundsDivideARunAndLoseNoTime() {
        LatencyRecorder recorder = LatencyRecorder.counted(control, 1, 3, 3, false);
        for (int i = 0; i < 9; i++) {
            recorder.next();
            take((1 + i / 3) * MILLISECOND);
        }
        List<LatencyFigures> rounds = recorder.figures();
        assertThat(rounds).extracting(LatencyFigures::samples).containsExactly(3L, 3L, 2L);
        assertThat(rounds.get(1).minimum()).isGreaterThanOrEqualTo(2000);
        assertThat(rounds.get(2).minimum()).isGreaterThanOrEqualTo(3000);
        assertThat(recorder.times()).isNull();
        assertThat(rounds.get(2).histogram().getStartTimeStamp())
                .isBetween(System.currentTimeMillis() - 60_000, System.currentTimeMillis());
    }

    @Test
    void longRunIsRecordedAtOnceWithTheSameRounds() {
        long perRound = LatencyRecorder.MOST_STAMPS;
        LatencyRecorder recorder = LatencyRecorder.counted(control, 1, perRound, 2, false);
        for (long i = 0; i < 2 * perRound; i++) {
            recorder.next();
        }
        assertThat(recorder.figures()).extracting(LatencyFigures::samples).containsExactly(perRound, perRound - 1);
        assertThatThrownBy(() -> LatencyRecorder.counted(control, 1, Integer.MAX_VALUE, 2, true))
                .isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void timedLoopCountsItsMeasuredPartOnly() {
        LatencyRecorder recorder = LatencyRecorder.timed(control, 2);
        recorder.next();
        recorder.next();
        control.enter(RunControl.SAMPLING);
        recorder.next();
        recorder.next();
        control.enter(RunControl.STOPPING);
        recorder.next();
        recorder.end();
        assertThat(recorder.count()).isEqualTo(2);
        assertThat(recorder.figures().getFirst().samples()).isEqualTo(2);
        recorder.begin();
        assertThat(recorder.count()).isZero();
    }

    @Test
    void inAnOpenLoopAStandstillCountsForAllThatWereDueMeanwhile() {
        LatencyRecorder recorder = LatencyRecorder.open(control, 1, 1000, false, 100, 1);
        long begin = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            recorder.next();
            if (i == 10) {
                take(50 * MILLISECOND);
            }
        }
        recorder.end();
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(99 * MILLISECOND);
        LatencyFigures figures = recorder.figures().getFirst();
        assertThat(figures.samples()).isEqualTo(100);
        // A closed loop would have one such sample; here the messages due in its first 25 ms waited 25 ms and more.
        assertThat(100 - figures.histogram().getCountBetweenValues(0, 24 * MILLISECOND))
                .isGreaterThanOrEqualTo(25);
        assertThat(recorder.pace().asked()).isEqualTo(1000);
        assertThat(recorder.pace().reached()).isBetween(10.0, 1100.0);
    }

    @Test
    void lateCountsInFullAndTheRoundTripInHalves() {
        LatencyRecorder recorder = LatencyRecorder.open(control, 2, 1e9, false, 2, 1);
        recorder.next();
        take(20 * MILLISECOND);
        // Due 1 ns after the first one: late by 20 ms.
        recorder.next();
        take(20 * MILLISECOND);
        recorder.end();
        LatencyFigures figures = recorder.figures().getFirst();
        assertThat(figures.minimum()).isGreaterThanOrEqualTo(10_000);
        assertThat(figures.maximum()).isGreaterThanOrEqualTo(29_999);
    }

    @Test
    void openLoopWaitsNoLongerThanTheRun() {
        LatencyRecorder recorder = LatencyRecorder.open(control, 1, 0.001, false, 10, 1);
        assertThat(recorder.next()).isTrue();
        control.enter(RunControl.ENDED);
        assertThat(recorder.next()).isFalse();
        recorder.end();
        assertThat(recorder.count()).isEqualTo(1);
    }

    @Test
    void roundsOfAnOpenLoop() {
        LatencyRecorder recorder = LatencyRecorder.open(control, 1, 1e6, false, 4, 3);
        for (int i = 0; i < 12; i++) {
            recorder.next();
        }
        recorder.end();
        assertThat(recorder.figures()).extracting(LatencyFigures::samples).containsExactly(4L, 4L, 4L);
    }

    @Test
    void nothingIsAllocatedWhileTimesAreTaken() {
        RunControl sampling = new RunControl();
        sampling.enter(RunControl.SAMPLING);
        List<LatencyRecorder> all = List.of(
                LatencyRecorder.counted(sampling, 2, 1000, 20, false),
                LatencyRecorder.counted(sampling, 1, LatencyRecorder.MOST_STAMPS, 2, false),
                LatencyRecorder.timed(sampling, 2),
                LatencyRecorder.open(sampling, 2, 1e7, true, 0, 1),
                LatencyRecorder.open(sampling, 1, 1e7, false, 1000, 20));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (LatencyRecorder recorder : all) {
            run(recorder);
            threads.getCurrentThreadAllocatedBytes();
            long before = threads.getCurrentThreadAllocatedBytes();
            run(recorder);
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isZero();
        }
    }

    private static void run(LatencyRecorder recorder) {
        recorder.begin();
        for (int i = 0; i < 20_000; i++) {
            recorder.next();
        }
        recorder.end();
    }
}
