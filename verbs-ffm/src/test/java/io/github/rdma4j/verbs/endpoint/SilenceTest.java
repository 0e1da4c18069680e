// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long it takes until a dead wire is noticed, whenever it dies between two looks. */
class SilenceTest {
    private static final long LIMIT = 6_000_000_000L;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 25, 50, 75, 99})
    void anIdleWireThatDiesIsNoticedWithinTheLimit(int percent) {
        Silence silence = new Silence(LIMIT);
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
        Silence silence = new Silence(LIMIT);
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
}
