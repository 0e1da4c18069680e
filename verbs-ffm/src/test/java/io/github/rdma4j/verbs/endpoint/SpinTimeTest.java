// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpinTimeTest {
    private static final long MOST = 200_000;

    private final SpinTime time = new SpinTime(MOST);

    /** One wait, for what comes after so many nanoseconds; a sleeping thread runs again later. How long it spun. */
    private long await(long after, long wakeUp) {
        long spin = time.next();
        if (after <= spin) {
            time.seen(after);
            return after;
        }
        time.slept(Math.max(after, spin) + wakeUp, true);
        return spin;
    }

    /** A round trip on one processor took 281 µs where both sides kept it until their limit, and 77 asleep. */
    @Test
    void whoSpinsOnTheOnlyProcessorLetsOthersRun() {
        assertThat(SpinTime.yields(1, false)).isTrue();
        assertThat(SpinTime.yields(2, false)).isFalse();
        assertThat(SpinTime.yields(2, true)).isTrue();
    }

    @Test
    void theFirstWaitSpinsAsLongAsItMay() {
        assertThat(time.next()).isEqualTo(MOST);
    }

    @Test
    void anIdleConnectionSpinsInOneWaitOfSixteen() {
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
    void whetherTheNextWaitSleepsAtOnceIsKnownBeforeIt() {
        for (int i = 0; i < 20; i++) {
            await(1_000_000_000, 50_000);
        }
        for (int i = 0; i < 3 * SpinTime.WAITS_PER_TRIAL; i++) {
            boolean sleeps = time.sleepsNext();
            assertThat(time.next() == 0).isEqualTo(sleeps);
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
    void aShortSleepTellsByItselfThatSpinningPays() {
        for (int i = 0; i < 100; i++) {
            await(1_000_000_000, 50_000);
        }
        while (time.next() != 0) {
            time.slept(1_000_000_000, true);
        }
        time.slept(30_000, true);
        assertThat(time.next()).isEqualTo(60_000);
    }

    @Test
    void aFewLateAnswersDoNotUndoWhatWasLearnt() {
        for (int i = 0; i < 1000; i++) {
            await(10_000, 50_000);
        }
        assertThat(time.next()).isBetween(20_000L, 40_000L);
        time.slept(5_000_000, true);
        assertThat(time.next()).isGreaterThanOrEqualTo(10_000);
    }

    /** A program that waits for a few microseconds only, again and again, must not learn that something comes then. */
    @Test
    void aWaitThatEndsBeforeAnythingComesTellsNothing() {
        for (int i = 0; i < 100; i++) {
            await(1_000_000_000, 50_000);
        }
        long spun = 0;
        for (int i = 0; i < 10 * SpinTime.WAITS_PER_TRIAL; i++) {
            spun += time.next();
            time.slept(30_000, false);
        }
        assertThat(spun).isEqualTo(10 * MOST);
    }

    @Test
    void aWaitThatIsLongAndInVainTellsThatSpinningDoesNotPay() {
        for (int i = 0; i < 100 && time.next() > 0; i++) {
            time.slept(MOST, false);
        }
        assertThat(time.next()).isZero();
    }

    /** Who loses the processor while it spins has others beside it that need it: they come first. */
    @Test
    void whoLosesTheProcessorDoesNotSpinBeforeTheNextTrial() {
        for (int i = 0; i < 100; i++) {
            await(10_000, 50_000);
        }
        assertThat(time.next()).isPositive();
        time.spun(4_000_000);
        time.seen(4_000_000);
        for (int i = 1; i < SpinTime.WAITS_PER_TRIAL; i++) {
            assertThat(time.next()).isZero();
            time.slept(10_000, true);
        }
        assertThat(time.next()).isEqualTo(MOST);
        time.spun(10_000);
        time.seen(10_000);
        assertThat(time.next()).isPositive();
    }

    /** How many waits go by without spinning after a loss. */
    private int quietWaits() {
        time.spun(4_000_000);
        time.seen(4_000_000);
        int quiet = 0;
        while (time.next() == 0) {
            time.slept(10_000, true);
            quiet++;
        }
        return quiet;
    }

    /** Each loss costs a turn of others, some milliseconds. */
    @Test
    void whoLosesTheProcessorInEachTrialTriesLessAndLess() {
        time.next();
        int before = quietWaits();
        assertThat(before).isEqualTo(SpinTime.WAITS_PER_TRIAL - 1);
        for (int i = 0; i < 20; i++) {
            int quiet = quietWaits();
            assertThat(quiet).isEqualTo(Math.min(2 * before + 1, SpinTime.MOST_WAITS_PER_TRIAL - 1));
            before = quiet;
        }
    }

    @Test
    void aLossIsForgottenAfterManyWaitsThatKeptTheProcessor() {
        time.next();
        for (int i = 0; i < 5; i++) {
            quietWaits();
        }
        for (int i = 0; i < SpinTime.WAITS_PER_LOSS; i++) {
            time.spun(10_000);
            time.seen(10_000);
            assertThat(time.next()).isPositive();
        }
        assertThat(quietWaits()).isEqualTo(SpinTime.WAITS_PER_TRIAL - 1);
    }

    @Test
    void whoSpinsALittleTooLongHasNotLostTheProcessor() {
        time.next();
        time.spun(MOST + 100_000);
        time.seen(MOST + 100_000);
        assertThat(time.next()).isEqualTo(MOST);
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
    void aLimitOfZeroNeverSpins() {
        SpinTime none = new SpinTime(0);
        for (int i = 0; i < 100; i++) {
            assertThat(none.next()).isZero();
            none.slept(i, true);
        }
    }

    @Test
    void whetherThereIsSomethingToLearn() {
        assertThat(new SpinTime(0).maySpin()).isFalse();
        assertThat(new SpinTime(1).maySpin()).isTrue();
    }

    @Test
    void itSleepsAtOnceWhereNothingComesAndWhereTheProcessorWasLost() {
        assertThat(time.sleepsAtOnce()).isFalse();
        time.spun(MOST + 1_000_000);
        assertThat(time.sleepsAtOnce()).isFalse();
        time.spun(MOST + 1_000_001);
        assertThat(time.sleepsAtOnce()).isTrue();
        assertThat(time.sleepsNext()).isTrue();
        SpinTime idle = new SpinTime(MOST);
        for (int i = 0; i < 7; i++) {
            idle.slept(MOST, true);
            assertThat(idle.sleepsAtOnce()).as("after " + (i + 1)).isFalse();
        }
        idle.slept(MOST, true);
        assertThat(idle.sleepsAtOnce())
                .as("less than a microsecond is not worth it")
                .isTrue();
    }

    @Test
    void whatIsSeenLetsTheTimeShrinkSlowly() {
        time.seen(10_000);
        assertThat(time.next()).isEqualTo(MOST - MOST / 8);
        time.seen(90_000);
        assertThat(time.next()).isEqualTo(180_000);
        time.seen(150_000);
        assertThat(time.next()).isEqualTo(MOST);
        SpinTime brief = new SpinTime(2_000);
        brief.slept(2_000, true);
        assertThat(brief.next()).isEqualTo(1_000);
    }
}
