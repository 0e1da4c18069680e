// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class StatisticsTest {
    private static final double[] FIGURES = {3, 1, 5, 2, 4};

    @Test
    void theBestIsTheLeastOrTheMost() {
        assertThat(Statistics.best(FIGURES, true)).isEqualTo(1);
        assertThat(Statistics.best(FIGURES, false)).isEqualTo(5);
    }

    @Test
    void theMedianIsInTheMiddle() {
        assertThat(Statistics.median(FIGURES)).isEqualTo(3);
        assertThat(Statistics.median(new double[] {4, 1, 2, 3})).isEqualTo(2.5);
        assertThat(Statistics.median(new double[] {7})).isEqualTo(7);
    }

    @Test
    void nothingHasNoMedian() {
        assertThatThrownBy(() -> Statistics.median(new double[0])).isInstanceOf(IllegalArgumentException.class);
    }
}
