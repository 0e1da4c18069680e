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
    void anIdleWireThatDiesIsNoticedWithinTheLimit(int percent) {
        Silence silence = new Silence(LIMIT, false);
        long gap = silence.nanosToNextLook();
        silence.look(0, false, 0);
        silence.heard();
        long died = gap * percent / 100;
        boolean underWay = false;
        long now = 0;
        Silence.Verdict verdict = Silence.Verdict.FINE;
        while (verdict != Silence.Verdict.DEAD) {
            now += silence.nanosToNextLook();
            verdict = silence.look(now, underWay, 0);
            underWay |= verdict == Silence.Verdict.PROBE;
        }
        assertThat(now - died).isLessThanOrEqualTo(LIMIT);
        // Half of the limit is the peer's, or nearly so.
        assertThat(now - died).isGreaterThan(LIMIT * 7 / 10);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 25, 50, 75, 99})
    void whatIsNotAcknowledgedIsNoticedWithinHalfOfIt(int percent) {
        Silence silence = new Silence(LIMIT, false);
        silence.look(0, true, 0);
        silence.acknowledged();
        long died = silence.nanosToNextLook() * percent / 100;
        long now = 0;
        Silence.Verdict verdict = Silence.Verdict.FINE;
        while (verdict != Silence.Verdict.DEAD) {
            now += silence.nanosToNextLook();
            verdict = silence.look(now, true, 0);
        }
        assertThat(now - died).isLessThanOrEqualTo(LIMIT / 2).isGreaterThan(LIMIT / 4);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, LIMIT})
    void anAdapterThatMaySleepOverTheFirstMessageIsWokenUpSoon(long limit) {
        Silence silence = new Silence(limit, true);
        silence.look(0, false, 0);
        List<Long> probes = new ArrayList<>();
        for (long now = 0; now < LIMIT / 3; ) {
            now += silence.nanosToNextLook();
            if (silence.look(now, !probes.isEmpty(), 0) == Silence.Verdict.PROBE) {
                probes.add(now);
                silence.acknowledged();
            }
        }
        assertThat(probes).containsExactly(20_000_000L, 200_000_000L, 2_000_000_000L);
    }

    /** A peer that speaks first has not read what was sent before it was able to. */
    @ParameterizedTest
    @ValueSource(longs = {0, LIMIT})
    void whoeverHasBeenHeardIsWokenUpOnceMore(long limit) {
        Silence silence = new Silence(limit, true);
        silence.look(0, false, 0);
        silence.heard();
        assertThat(silence.look(1000, false, 0)).isEqualTo(Silence.Verdict.PROBE);
        silence.heard();
        assertThat(silence.look(2000, false, 0)).isEqualTo(Silence.Verdict.FINE);
        assertThat(silence.nanosToNextLook()).isEqualTo(new Silence(limit, false).nanosToNextLook());
    }

    @Test
    void aPeerThatIsHeardLateIsWokenUpAllTheSame() {
        Silence silence = new Silence(0, true);
        silence.look(0, false, 0);
        for (long now : new long[] {20_000_000L, 200_000_000L, 2_000_000_000L}) {
            assertThat(silence.look(now, false, 0)).isEqualTo(Silence.Verdict.PROBE);
        }
        silence.heard();
        assertThat(silence.nanosToNextLook()).isOne();
        assertThat(silence.look(3_000_000_000L, false, 0)).isEqualTo(Silence.Verdict.PROBE);
        assertThat(silence.nanosToNextLook()).isEqualTo(Long.MAX_VALUE);
    }
}
