// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpinTimeTest {
    private static final long MOST = 200_000;

    private final CpuPressure pressure = new CpuPressure();
    private final SpinTime time = new SpinTime(MOST, pressure);
    private final long now = System.nanoTime();

    /** One wait, for what comes after so many nanoseconds; a sleeping thread runs again later. How long it spun. */
    private long await(long after, long wakeUp) {
        long spin = time.next(now);
        if (after <= spin) {
            time.seen(after);
            return after;
        }
        time.slept(Math.max(after, spin) + wakeUp, true);
        return spin;
    }

    /** A round trip on one processor took 281 µs where both sides kept it until their limit, and 77 asleep. */
    @Test
    void spinOnTheOnlyCpuYields() {
        assertThat(SpinTime.yields(1, 0, false)).isTrue();
        assertThat(SpinTime.yields(2, 0, false)).isFalse();
        assertThat(SpinTime.yields(2, 0, true)).isTrue();
    }

    /** The scheduler runs two threads that wake each other on one CPU, although another one is idle. */
    @Test
    void spinThatLastsYieldsToAPeerOnTheSameCpu() {
        assertThat(SpinTime.yields(2, SpinTime.LONGEST_WITHOUT_YIELD_NANOS - 1, false))
                .isFalse();
        assertThat(SpinTime.yields(2, SpinTime.LONGEST_WITHOUT_YIELD_NANOS, false))
                .isTrue();
    }

    @Test
    void firstWaitSpinsAsLongAsItMay() {
        assertThat(time.next(now)).isEqualTo(MOST);
    }

    @Test
    void idleConnectionSpinsInOneWaitOfSixteen() {
        for (int i = 0; i < 20; i++) {
            await(1_000_000_000, 50_000);
        }
        long spun = 0;
        for (int i = 0; i < 10 * SpinTime.WAITS_PER_TRIAL; i++) {
            spun += await(1_000_000_000, 50_000);
        }
        assertThat(spun).isEqualTo(10 * MOST);
    }

    @Test
    void nextWaitReportsAtOnceIfItSleeps() {
        for (int i = 0; i < 20; i++) {
            await(1_000_000_000, 50_000);
        }
        for (int i = 0; i < 3 * SpinTime.WAITS_PER_TRIAL; i++) {
            boolean sleeps = time.sleepsNext(now);
            assertThat(time.next(now) == 0).isEqualTo(sleeps);
            time.slept(1_000_000_000, true);
        }
    }

    @Test
    void answersThatHaveBecomeFastAreCaughtAgain() {
        for (int i = 0; i < 100; i++) {
            await(1_000_000_000, 50_000);
        }
        int asleep = 0;
        for (int i = 0; i < 100; i++) {
            asleep += await(20_000, 300_000) == 20_000 ? 0 : 1;
        }
        assertThat(asleep).isLessThan(SpinTime.WAITS_PER_TRIAL);
    }

    @Test
    void shortSleepShowsThatSpinningPays() {
        for (int i = 0; i < 100; i++) {
            await(1_000_000_000, 50_000);
        }
        while (time.next(now) != 0) {
            time.slept(1_000_000_000, true);
        }
        time.slept(30_000, true);
        assertThat(time.next(now)).isEqualTo(60_000);
    }

    @Test
    void fewLateAnswersDoNotUndoWhatWasLearnt() {
        for (int i = 0; i < 1000; i++) {
            await(10_000, 50_000);
        }
        assertThat(time.next(now)).isBetween(20_000L, 40_000L);
        time.slept(5_000_000, true);
        assertThat(time.next(now)).isGreaterThanOrEqualTo(10_000);
    }

    /** A program that waits for a few microseconds only, again and again, must not learn that something comes then. */
    @Test
    void waitThatEndsEarlyTeachesNothing() {
        for (int i = 0; i < 100; i++) {
            await(1_000_000_000, 50_000);
        }
        long spun = 0;
        for (int i = 0; i < 10 * SpinTime.WAITS_PER_TRIAL; i++) {
            spun += time.next(now);
            time.slept(30_000, false);
        }
        assertThat(spun).isEqualTo(10 * MOST);
    }

    @Test
    void longVainWaitShowsThatSpinningDoesNotPay() {
        for (int i = 0; i < 100 && time.next(now) > 0; i++) {
            time.slept(MOST, false);
        }
        assertThat(time.next(now)).isZero();
    }

    @Test
    void preemptedThreadDoesNotSpinUntilThePauseIsOver() {
        assertThat(time.keptCpu(now - CpuPressure.IDLE_GAP_NANOS, now, 1, false))
                .isFalse();
        assertThat(time.sleepsAtOnce(now)).isTrue();
        assertThat(time.sleepsNext(now)).isTrue();
        for (int i = 0; i < 2 * SpinTime.WAITS_PER_TRIAL; i++) {
            assertThat(time.next(now)).isZero();
        }
        long later = now + CpuPressure.SHORTEST_PAUSE;
        assertThat(time.sleepsAtOnce(later)).isFalse();
        assertThat(time.next(later)).isEqualTo(MOST);
    }

    /** On a quiet machine a spinning thread is preempted now and then, and is still faster than a sleeping one. */
    @Test
    void preemptionForWhichSpinningHasPaidEndsNothing() {
        long gap = CpuPressure.IDLE_GAP_NANOS;
        for (long spun = 0; spun < SpinTime.WORTH * gap; spun += 10_000) {
            time.seen(10_000);
        }
        assertThat(time.keptCpu(now - gap, now, 1, false)).isFalse();
        assertThat(time.sleepsAtOnce(now)).isFalse();
        // The spins before count once.
        assertThat(time.keptCpu(now - gap, now, 1, false)).isFalse();
        assertThat(time.sleepsAtOnce(now)).isTrue();
    }

    @Test
    void preemptionConcernsAllConnections() {
        SpinTime other = new SpinTime(MOST, pressure);
        time.keptCpu(now - CpuPressure.IDLE_GAP_NANOS, now, 1, false);
        assertThat(other.next(now)).isZero();
    }

    @Test
    void shortPollIsNoPreemption() {
        assertThat(time.keptCpu(now - CpuPressure.IDLE_GAP_NANOS + 1, now, 1, false))
                .isTrue();
        assertThat(time.next(now)).isEqualTo(MOST);
    }

    @Test
    void pollsOfManyConnectionsMayTakeLonger() {
        assertThat(time.keptCpu(now - CpuPressure.IDLE_GAP_NANOS, now, 26, false))
                .isTrue();
        assertThat(time.keptCpu(now - 4_000_000, now, 1000, false)).isFalse();
    }

    @Test
    void pollThatFindsSomethingMayTakeLonger() {
        assertThat(time.keptCpu(now - CpuPressure.BUSY_GAP_NANOS + 1, now, 1, true))
                .isTrue();
        assertThat(time.keptCpu(now - CpuPressure.BUSY_GAP_NANOS, now, 1, true)).isFalse();
    }

    @Test
    void noMoreThreadsSpinThanThereAreProcessors() {
        int started = 0;
        while (SpinTime.start()) {
            started++;
        }
        try {
            assertThat(started).isEqualTo(Runtime.getRuntime().availableProcessors());
            assertThat(SpinTime.start()).isFalse();
            SpinTime.stop();
            assertThat(SpinTime.start()).isTrue();
        } finally {
            while (started-- > 0) {
                SpinTime.stop();
            }
        }
    }

    @Test
    void limitOfZeroNeverSpins() {
        SpinTime none = new SpinTime(0, pressure);
        for (int i = 0; i < 100; i++) {
            assertThat(none.next(now)).isZero();
            none.slept(i, true);
        }
    }

    @Test
    void learningNeedsAnEvent() {
        assertThat(new SpinTime(0).maySpin()).isFalse();
        assertThat(new SpinTime(1).maySpin()).isTrue();
    }

    @Test
    void connectionOnWhichNothingComesSleepsAtOnce() {
        assertThat(time.sleepsAtOnce(now)).isFalse();
        SpinTime idle = new SpinTime(MOST, pressure);
        for (int i = 0; i < 7; i++) {
            idle.slept(MOST, true);
            assertThat(idle.sleepsAtOnce(now)).as("after " + (i + 1)).isFalse();
        }
        idle.slept(MOST, true);
        assertThat(idle.sleepsAtOnce(now))
                .as("less than a microsecond is not worth it")
                .isTrue();
    }

    @Test
    void spinTimeShrinksSlowly() {
        time.seen(10_000);
        assertThat(time.next(now)).isEqualTo(MOST - MOST / 8);
        time.seen(90_000);
        assertThat(time.next(now)).isEqualTo(180_000);
        time.seen(150_000);
        assertThat(time.next(now)).isEqualTo(MOST);
        SpinTime brief = new SpinTime(2_000, pressure);
        brief.slept(2_000, true);
        assertThat(brief.next(now)).isEqualTo(1_000);
    }
}
