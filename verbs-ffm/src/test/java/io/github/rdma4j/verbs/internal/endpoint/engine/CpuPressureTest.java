// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CpuPressureTest {
    /** The clock may begin anywhere. */
    private static final long START = Long.MAX_VALUE - 1_000_000;

    private final CpuPressure pressure = new CpuPressure();

    /** Returns for how long a preemption at this time keeps threads from spinning. */
    private long pauseAfter(long now) {
        pressure.preempted(now);
        long pause = 0;
        while (pressure.isHigh(now + pause)) {
            pause += CpuPressure.SHORTEST_PAUSE;
        }
        return pause;
    }

    @Test
    void noPressureWithoutPreemption() {
        assertThat(pressure.isHigh(START)).isFalse();
    }

    @Test
    void preemptionEndsSpinningForAWhile() {
        pressure.preempted(START);
        assertThat(pressure.isHigh(START + CpuPressure.SHORTEST_PAUSE - 1)).isTrue();
        assertThat(pressure.isHigh(START + CpuPressure.SHORTEST_PAUSE)).isFalse();
    }

    @Test
    void eachPreemptionSoonAfterAPauseDoublesIt() {
        long now = START;
        long expected = CpuPressure.SHORTEST_PAUSE;
        for (int i = 0; i < 12; i++) {
            long pause = pauseAfter(now);
            assertThat(pause).isBetween(expected, expected + CpuPressure.SHORTEST_PAUSE);
            now += pause + CpuPressure.MEMORY / 2 * expected;
            expected = Math.min(2 * expected, CpuPressure.LONGEST_PAUSE);
        }
        assertThat(expected).isEqualTo(CpuPressure.LONGEST_PAUSE);
    }

    @Test
    void longTimeWithoutPreemptionForgetsThePauses() {
        long now = START + pauseAfter(START);
        now += pauseAfter(now);
        now += 2 * CpuPressure.SHORTEST_PAUSE * CpuPressure.MEMORY;
        assertThat(pauseAfter(now)).isEqualTo(CpuPressure.SHORTEST_PAUSE);
    }

    @Test
    void threadThatBeganToSpinBeforeThePauseDoesNotProlongIt() {
        pressure.preempted(START);
        pressure.preempted(START + CpuPressure.SHORTEST_PAUSE - 1);
        assertThat(pressure.isHigh(START + CpuPressure.SHORTEST_PAUSE)).isFalse();
    }

    @Test
    void spinningThatPaidForgetsThePauses() {
        long now = START + pauseAfter(START);
        now += pauseAfter(now);
        pressure.spinningPaid();
        assertThat(pressure.isHigh(now)).isFalse();
        assertThat(pauseAfter(now)).isEqualTo(CpuPressure.SHORTEST_PAUSE);
    }
}
