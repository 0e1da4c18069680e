// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private static final long PATIENCE = 1_000_000;

    private final Comparison comparison = new Comparison(1.5, PATIENCE);
    private long now = Long.MAX_VALUE - 100;

    /** One question and its answer; which wire it was. */
    private boolean askAndAnswer(long rdma, long tcp) {
        assertThat(comparison.isDue(now)).isTrue();
        boolean overRdma = comparison.isOverRdma();
        int number = comparison.ask(now);
        assertThat(comparison.isDue(now)).isFalse();
        now += overRdma ? rdma : tcp;
        comparison.answered(overRdma, number, now);
        return overRdma;
    }

    private void compare(long rdma, long tcp) {
        while (!comparison.isComplete()) {
            askAndAnswer(rdma, tcp);
        }
    }

    @Test
    void rdmaThatIsTooSlowIsToldInFigures() {
        comparison.begin(now, 0);
        compare(15_100, 10_000);
        assertThat(comparison.complaint())
                .isEqualTo("a round trip over RDMA takes 15.1 µs, and over TCP 10.0 µs"
                        + " (EndpointConfig.maxSlowdown is 1.5)");
    }

    @Test
    void whatIsAllowedIsNoComplaint() {
        comparison.begin(now, 0);
        compare(15_000, 10_000);
        assertThat(comparison.complaint()).isNull();
    }

    @Test
    void aFewRoundTripsThatWereHeldUpDoNotCount() {
        comparison.begin(now, 0);
        for (int i = 0; i < 4; i++) {
            askAndAnswer(1_000_000, 10_000);
            askAndAnswer(1_000_000, 10_000);
        }
        compare(15_000, 10_000);
        assertThat(comparison.complaint()).isNull();
    }

    @Test
    void whenMostWereTooSlowTheRestIsNotAwaited() {
        comparison.begin(now, 0);
        for (int i = 0; i < 5; i++) {
            assertThat(comparison.isComplete()).isFalse();
            askAndAnswer(15_100, 10_000);
            askAndAnswer(15_100, 10_000);
        }
        assertThat(comparison.isComplete()).isTrue();
        assertThat(comparison.complaint()).contains("15.1 µs");
    }

    @Test
    void eachWireIsAskedFirstInEverySecondRound() {
        comparison.begin(now, 0);
        List<Boolean> overRdma = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            overRdma.add(askAndAnswer(1, 1));
        }
        assertThat(overRdma).containsExactly(true, false, false, true, true, false);
    }

    @Test
    void thePauseIsBeforeEachRoundAndNotWithinOne() {
        comparison.begin(now, 500);
        for (int i = 0; i < 3; i++) {
            assertThat(comparison.isDue(now)).isFalse();
            assertThat(comparison.nanosToNext(now)).isEqualTo(500);
            now += 500;
            askAndAnswer(10, 10);
            assertThat(comparison.nanosToNext(now)).isZero();
            askAndAnswer(10, 10);
        }
    }

    @Test
    void aRoundWithABusyAnswerIsDoneAgain() {
        comparison.begin(now, 0);
        for (int i = 0; i < 100; i++) {
            askAndAnswer(10, 10);
            comparison.answered(comparison.isOverRdma(), comparison.ask(now) | Comparison.BUSY, now);
        }
        assertThat(comparison.isComplete()).isFalse();
        compare(10, 10);
        assertThat(comparison.complaint()).isNull();
    }

    @Test
    void whatNobodyWaitsForIsNoAnswer() {
        comparison.begin(now, 0);
        comparison.answered(true, 0, now);
        int first = comparison.ask(now);
        comparison.answered(false, first, now);
        comparison.answered(true, first + 1, now);
        assertThat(comparison.nanosToNext(now)).isEqualTo(PATIENCE);
        now += PATIENCE;
        // The question is given up, and its late answer is none of the next one's.
        assertThat(comparison.isDue(now)).isTrue();
        int second = comparison.ask(now);
        assertThat(second).isNotEqualTo(first);
        comparison.answered(true, first, now);
        assertThat(comparison.isDue(now)).isFalse();
        comparison.answered(true, second, now);
        assertThat(comparison.isDue(now)).isTrue();
        assertThat(comparison.isOverRdma()).isFalse();
    }

    @Test
    void nothingIsAskedBeforeTheBeginAndAfterTheEnd() {
        assertThat(comparison.isDue(now)).isFalse();
        assertThat(comparison.nanosToNext(now)).isEqualTo(Long.MAX_VALUE);
        comparison.begin(now, 0);
        compare(1, 1);
        comparison.stop();
        assertThat(comparison.isComplete()).isFalse();
        assertThat(comparison.isDue(now)).isFalse();
    }

    /** There may be no time for more. */
    @Test
    void threeRoundsTellSomething() {
        comparison.begin(now, 0);
        for (int i = 0; i < 3; i++) {
            assertThat(comparison.hasTooFewRounds()).isEqualTo(i > 0);
            assertThat(comparison.times()).isNull();
            assertThat(comparison.complaint()).isNull();
            askAndAnswer(15_100, 10_000);
            askAndAnswer(15_100, 10_000);
        }
        assertThat(comparison.hasTooFewRounds()).isFalse();
        assertThat(comparison.isComplete()).isFalse();
        assertThat(comparison.times()).isEqualTo("a round trip over RDMA takes 15.1 µs, and over TCP 10.0 µs");
        assertThat(comparison.complaint()).startsWith(comparison.times());
        askAndAnswer(1, 10_000);
        askAndAnswer(1, 10_000);
        assertThat(comparison.complaint()).as("three of four").isNotNull();
        for (int i = 0; i < 4; i++) {
            askAndAnswer(1, 10_000);
        }
        assertThat(comparison.complaint()).as("three of six").isNull();
    }

    @Test
    void roundsThatAreTooFewCountOnAndThoseOfAnotherConnectionDoNot() {
        comparison.begin(now, 0);
        for (int i = 0; i < 4; i++) {
            askAndAnswer(20_000, 10_000);
        }
        comparison.stop();
        comparison.begin(now, 0);
        askAndAnswer(20_000, 10_000);
        askAndAnswer(20_000, 10_000);
        assertThat(comparison.complaint()).as("two rounds, and one").isNotNull();
        comparison.begin(now, 0);
        assertThat(comparison.times()).as("enough, and so from the start").isNull();
        for (int i = 0; i < 4; i++) {
            askAndAnswer(20_000, 10_000);
        }
        comparison.forget();
        assertThat(comparison.isRunning()).isFalse();
        comparison.begin(now, 0);
        assertThat(comparison.isRunning()).isTrue();
        askAndAnswer(20_000, 10_000);
        askAndAnswer(20_000, 10_000);
        assertThat(comparison.times()).isNull();
    }

    @Test
    void itMayBeginOverTcp() {
        comparison.beginOverTcp(now);
        List<Boolean> overRdma = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            overRdma.add(askAndAnswer(1, 1));
        }
        assertThat(overRdma).containsExactly(false, true, true, false);
    }

    @Test
    void aQuestionThatWaitsForItsAnswerTellsForHowLong() {
        comparison.begin(now, 0);
        assertThat(comparison.nanosUnanswered(now)).isZero();
        int number = comparison.ask(now);
        assertThat(comparison.number()).isEqualTo(number);
        assertThat(comparison.nanosUnanswered(now + 700)).isEqualTo(700);
        comparison.answered(true, number, now + 700);
        assertThat(comparison.nanosUnanswered(now + 800)).isZero();
        comparison.ask(now + 800);
        assertThat(comparison.nanosUnanswered(now + 900)).as("somebody answers").isZero();
    }

    @Test
    void whatHindersIsKnown() {
        comparison.begin(now, 0);
        assertThat(comparison.isHindered()).isFalse();
        comparison.answered(true, comparison.ask(now) | Comparison.BUSY, now);
        assertThat(comparison.isHindered()).isTrue();
        comparison.begin(now, 0);
        assertThat(comparison.isHindered()).isFalse();
        comparison.hinder();
        assertThat(comparison.isHindered()).isTrue();
    }

    /** A number stays below the mark of a busy peer. */
    @Test
    void numbersGoRound() {
        comparison.begin(now, 0);
        int before = 0;
        for (int i = 0; i < 2 * Comparison.BUSY; i++) {
            int number = comparison.ask(now);
            assertThat(number).isBetween(0, Comparison.BUSY - 1).isNotEqualTo(before);
            before = number;
        }
    }

    @Test
    void theMiddleOneCountsInWhateverOrderTheyCome() {
        comparison.begin(now, 0);
        long[] overRdma = {90_000, 10_000, 80_000, 20_000, 30_000};
        for (long nanos : overRdma) {
            askAndAnswer(nanos, nanos / 10);
            askAndAnswer(nanos, nanos / 10);
        }
        assertThat(comparison.times()).isEqualTo("a round trip over RDMA takes 30.0 µs, and over TCP 3.0 µs");
    }

    @Test
    void itMayGoOnOverTcp() {
        comparison.begin(now, 0);
        askAndAnswer(1, 1);
        askAndAnswer(1, 1);
        comparison.beginOverTcp(now);
        assertThat(askAndAnswer(1, 1)).isFalse();
        assertThat(askAndAnswer(1, 1)).isTrue();
    }

    @Test
    void anAnswerIsAwaitedForAsLongAsIsLeft() {
        comparison.begin(now, 500);
        assertThat(comparison.nanosToNext(now + 200)).isEqualTo(300);
        assertThat(comparison.nanosToNext(now + 600)).isZero();
        comparison.ask(now + 600);
        assertThat(comparison.nanosToNext(now + 900)).isEqualTo(PATIENCE - 300);
    }
}
