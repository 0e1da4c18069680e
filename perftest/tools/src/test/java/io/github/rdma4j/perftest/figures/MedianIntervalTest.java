// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MedianIntervalTest {
    /** The first rows are from tables in textbooks (sign test, two-sided, 5 %). */
    @ParameterizedTest
    @CsvSource({
        "6,     1, 0.96875",
        "7,     1, 0.98438",
        "9,     2, 0.96094",
        "15,    4, 0.96484",
        "20,    6, 0.95861",
        "30,   10, 0.95723",
        "1000, 469, 0.95370",
    })
    void ranksKeepTheConfidence(int figures, int rank, double confidence) {
        assertThat(MedianInterval.rank(figures)).isEqualTo(rank);
        assertThat(MedianInterval.confidence(figures, rank)).isCloseTo(confidence, within(0.00001));
        assertThat(MedianInterval.confidence(figures, rank + 1)).isLessThan(MedianInterval.CONFIDENCE);
    }

    /** The exact rank, or one less: 470 of 1,001. */
    @ParameterizedTest
    @CsvSource({"1001, 469", "1200, 566", "10000, 4902", "4000000, 1998040"})
    void manyFiguresHaveARank(int figures, int rank) {
        assertThat(MedianInterval.rank(figures)).isEqualTo(rank);
    }

    @Test
    void endsAreFiguresOfThatRank() {
        double[] figures = IntStream.of(9, 2, 15, 4, 1, 12, 7, 8, 3, 10, 11, 6, 13, 14, 5)
                .asDoubleStream()
                .toArray();

        assertThat(MedianInterval.of(figures)).isEqualTo(new MedianInterval(8, 4, 12));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void fewFiguresHaveAMedianAndNoInterval(int figures) {
        MedianInterval of = MedianInterval.of(
                IntStream.rangeClosed(1, figures).asDoubleStream().toArray());

        assertThat(of.median()).isEqualTo((1 + figures) / 2.0);
        assertThat(of.isBounded()).isFalse();
    }

    @Test
    void leastNumberIsTheFirstWithAnInterval() {
        assertThat(MedianInterval.rank(MedianInterval.LEAST_FIGURES)).isPositive();
        assertThat(MedianInterval.rank(MedianInterval.LEAST_FIGURES - 1)).isZero();
    }

    @Test
    void nothingHasNoMedian() {
        assertThat(MedianInterval.of().median()).isNaN();
        assertThat(MedianInterval.of().isBounded()).isFalse();
    }

    /** Of figures as skewed as latencies are. */
    @Test
    void containsTheTrueMedianAtItsConfidence() {
        Random random = new Random(1);
        int samples = 20_000;
        int held = 0;
        for (int i = 0; i < samples; i++) {
            MedianInterval of = MedianInterval.of(
                    random.doubles(15).map(uniform -> -Math.log(uniform)).toArray());
            if (of.low() <= Math.log(2) && Math.log(2) <= of.high()) {
                held++;
            }
        }

        assertThat((double) held / samples).isCloseTo(0.96484, within(0.005));
    }
}
