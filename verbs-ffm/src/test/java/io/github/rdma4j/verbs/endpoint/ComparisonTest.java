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
}
