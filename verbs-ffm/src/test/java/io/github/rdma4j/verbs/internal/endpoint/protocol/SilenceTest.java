// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long it takes until a dead wire is noticed, whenever it dies between two looks. */
class SilenceTest {
    private static final long LIMIT = 6_000_000_000L;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 25, 50, 75, 99})
    void idleWireThatDiesIsNoticedWithinTheLimit(int percent) {
        Silence silence = new Silence(LIMIT, false);
        long gap = silence.nanosToNextCheck();
        silence.check(0, false, 0);
        silence.received();
        long died = gap * percent / 100;
        boolean underWay = false;
        long now = 0;
        Silence.Verdict verdict = Silence.Verdict.FINE;
        while (verdict != Silence.Verdict.DEAD) {
            now += silence.nanosToNextCheck();
            verdict = silence.check(now, underWay, 0);
            underWay |= verdict == Silence.Verdict.PROBE;
        }
        assertThat(now - died).isLessThanOrEqualTo(LIMIT);
        // Half of the limit is the peer's, or nearly so.
        assertThat(now - died).isGreaterThan(LIMIT * 7 / 10);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 25, 50, 75, 99})
    void missingAcknowledgementIsDetectedWithinHalfOfTheTimeout(int percent) {
        Silence silence = new Silence(LIMIT, false);
        silence.check(0, true, 0);
        silence.acknowledged();
        long died = silence.nanosToNextCheck() * percent / 100;
        long now = 0;
        Silence.Verdict verdict = Silence.Verdict.FINE;
        while (verdict != Silence.Verdict.DEAD) {
            now += silence.nanosToNextCheck();
            verdict = silence.check(now, true, 0);
        }
        assertThat(now - died).isLessThanOrEqualTo(LIMIT / 2).isGreaterThan(LIMIT / 4);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, LIMIT})
    void adapterThatMaySleepOverTheFirstMessageIsWokenUpSoon(long limit) {
        Silence silence = new Silence(limit, true);
        silence.check(0, false, 0);
        List<Long> probes = new ArrayList<>();
        for (long now = 0; now < LIMIT / 3; ) {
            now += silence.nanosToNextCheck();
            if (silence.check(now, !probes.isEmpty(), 0) == Silence.Verdict.PROBE) {
                probes.add(now);
                silence.acknowledged();
            }
        }
        assertThat(probes).containsExactly(20_000_000L, 200_000_000L, 2_000_000_000L);
        assertThat(silence.nanosToNextCheck())
                .as("it is not woken up any more")
                .isEqualTo(new Silence(limit, false).nanosToNextCheck());
    }

    /** The clock may stand anywhere, and its numbers may pass from positive to negative. */
    @ParameterizedTest
    @ValueSource(longs = {1_000_000_000_000L, -3_000_000_000L, Long.MAX_VALUE - 1_000_000})
    void onlyTheTimeBetweenTwoLooksCounts(long start) {
        Silence silence = new Silence(LIMIT, true);
        silence.check(start, false, 0);
        assertThat(silence.nanosToNextCheck()).isEqualTo(20_000_000);
        assertThat(silence.check(start + 19_999_999, false, 0)).isEqualTo(Silence.Verdict.FINE);
        assertThat(silence.nanosToNextCheck()).isEqualTo(1);
        assertThat(silence.check(start + 20_000_000, false, 0)).isEqualTo(Silence.Verdict.PROBE);
        silence.received();
        assertThat(silence.check(start + 20_000_000, false, 0)).isEqualTo(Silence.Verdict.PROBE);
        long last = start + 20_000_000;
        for (long now = last; now - last < LIMIT / 5 * 2; now += LIMIT / 100) {
            assertThat(silence.check(now, false, 0)).isEqualTo(Silence.Verdict.FINE);
        }
        assertThat(silence.check(last + LIMIT / 5 * 2, false, 0)).isEqualTo(Silence.Verdict.PROBE);
    }

    /** A suspended machine has received nothing from its peer meanwhile. */
    @Test
    void pauseCountsAsAQuarterOfThePatience() {
        Silence silence = new Silence(LIMIT, false);
        silence.check(0, true, 0);
        silence.check(1, true, 0);
        for (int day = 1; day < 4; day++) {
            assertThat(silence.check(day * 86_400_000_000_000L, true, 0)).isEqualTo(Silence.Verdict.FINE);
        }
        assertThat(silence.check(5 * 86_400_000_000_000L, true, 0)).isEqualTo(Silence.Verdict.DEAD);
    }

    /** A megabyte per second. */
    @Test
    void longTransferMayTakeLong() {
        Silence silence = new Silence(LIMIT, false);
        long length = 3_000_000;
        silence.check(0, true, length);
        silence.acknowledged();
        silence.check(1, true, length);
        long last = 1 + LIMIT / 5 * 2 + 3_000_000_000L;
        for (long now = 1 + LIMIT / 20; now < last; now += LIMIT / 20) {
            assertThat(silence.check(now, true, length)).isEqualTo(Silence.Verdict.FINE);
        }
        assertThat(silence.check(last, true, length)).isEqualTo(Silence.Verdict.DEAD);
    }

    /** A wire can be cut in one direction. */
    @Test
    void receivedMessageDoesNotAcknowledgePendingOnes() {
        Silence silence = new Silence(LIMIT, false);
        silence.check(0, true, 0);
        Silence.Verdict verdict = Silence.Verdict.FINE;
        long now = 0;
        while (verdict == Silence.Verdict.FINE && now < LIMIT) {
            silence.received();
            now += LIMIT / 20;
            verdict = silence.check(now, true, 0);
        }
        assertThat(verdict).isEqualTo(Silence.Verdict.DEAD);
    }

    @Test
    void withoutALimitThereIsNoVerdict() {
        Silence silence = new Silence(0, false);
        silence.check(0, true, 0);
        assertThat(silence.nanosToNextCheck()).isEqualTo(Long.MAX_VALUE);
        assertThat(silence.check(Long.MAX_VALUE / 2, true, 0)).isEqualTo(Silence.Verdict.FINE);
        assertThat(silence.check(Long.MAX_VALUE - 1, false, 0)).isEqualTo(Silence.Verdict.FINE);
    }

    /** A peer that speaks first has not read what was sent before it was able to. */
    @ParameterizedTest
    @ValueSource(longs = {0, LIMIT})
    void activePeerIsWokenUpOnceMore(long limit) {
        Silence silence = new Silence(limit, true);
        silence.check(0, false, 0);
        silence.received();
        assertThat(silence.check(1000, false, 0)).isEqualTo(Silence.Verdict.PROBE);
        silence.received();
        assertThat(silence.check(2000, false, 0)).isEqualTo(Silence.Verdict.FINE);
        assertThat(silence.nanosToNextCheck()).isEqualTo(new Silence(limit, false).nanosToNextCheck());
    }

    @Test
    void latePeerIsStillWokenUp() {
        Silence silence = new Silence(0, true);
        silence.check(0, false, 0);
        for (long now : new long[] {20_000_000L, 200_000_000L, 2_000_000_000L}) {
            assertThat(silence.check(now, false, 0)).isEqualTo(Silence.Verdict.PROBE);
        }
        silence.received();
        assertThat(silence.nanosToNextCheck()).isOne();
        assertThat(silence.check(3_000_000_000L, false, 0)).isEqualTo(Silence.Verdict.PROBE);
        assertThat(silence.nanosToNextCheck()).isEqualTo(Long.MAX_VALUE);
    }
}
