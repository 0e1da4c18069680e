// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BurstLimitTest {
    /** A burst of 10 each millisecond. */
    private final BurstLimit limit = new BurstLimit(10_000, 10);

    private long allowance(long now) {
        limit.beginIfDue(now);
        return limit.left();
    }

    @Test
    void burstMayBeSentAtOnceAndTheNextOneWhenItIsDue() {
        assertThat(allowance(5_000_000)).isEqualTo(10);
        limit.posted(10);
        assertThat(allowance(5_999_999)).isZero();
        assertThat(allowance(6_000_000)).isEqualTo(10);
    }

    @Test
    void burstThatDidNotFitIntoTheQueueGoesOn() {
        allowance(0);
        assertThat(limit.posted(4)).isFalse();
        assertThat(allowance(1)).isEqualTo(6);
        assertThat(limit.posted(6)).isTrue();
        assertThat(allowance(2)).isZero();
    }

    @Test
    void timeOfABurstDoesNotMoveTheNextOnes() {
        allowance(0);
        limit.posted(10);
        assertThat(allowance(1_300_000)).isEqualTo(10);
        limit.posted(10);
        assertThat(allowance(1_999_999)).isZero();
        assertThat(allowance(2_000_000)).isEqualTo(10);
    }

    @Test
    void missedBurstsAreNotMadeUp() {
        allowance(0);
        limit.posted(10);
        assertThat(allowance(50_000_000)).isEqualTo(10);
        limit.posted(10);
        assertThat(allowance(50_999_999)).isZero();
        assertThat(allowance(51_000_000)).isEqualTo(10);
    }
}
