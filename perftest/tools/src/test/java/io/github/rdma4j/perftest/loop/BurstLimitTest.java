// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BurstLimitTest {
    /** A burst of 10 each millisecond. */
    private final BurstLimit limit = new BurstLimit(10_000, 10);

    @Test
    void burstMayBeSentAtOnceAndTheNextOneWhenItIsDue() {
        assertThat(limit.allowance(5_000_000)).isEqualTo(10);
        limit.posted(10);
        assertThat(limit.allowance(5_999_999)).isZero();
        assertThat(limit.allowance(6_000_000)).isEqualTo(10);
    }

    @Test
    void burstThatDidNotFitIntoTheQueueGoesOn() {
        limit.allowance(0);
        limit.posted(4);
        assertThat(limit.allowance(1)).isEqualTo(6);
        limit.posted(6);
        assertThat(limit.allowance(2)).isZero();
    }

    @Test
    void timeOfABurstDoesNotMoveTheNextOnes() {
        limit.allowance(0);
        limit.posted(10);
        assertThat(limit.allowance(1_300_000)).isEqualTo(10);
        limit.posted(10);
        assertThat(limit.allowance(1_999_999)).isZero();
        assertThat(limit.allowance(2_000_000)).isEqualTo(10);
    }

    @Test
    void missedBurstsAreNotMadeUp() {
        limit.allowance(0);
        limit.posted(10);
        assertThat(limit.allowance(50_000_000)).isEqualTo(10);
        limit.posted(10);
        assertThat(limit.allowance(50_999_999)).isZero();
        assertThat(limit.allowance(51_000_000)).isEqualTo(10);
    }
}
