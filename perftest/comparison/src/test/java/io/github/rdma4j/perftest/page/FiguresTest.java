// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class FiguresTest {
    @Test
    void sizesHaveTheLargestExactUnit() {
        assertThat(List.of(2L, 1000L, 1024L, 1536L, 65507L, 65536L, 1L << 20, 1L << 31, (1L << 20) + 1))
                .extracting(Figures::size)
                .containsExactly(
                        "2 B", "1000 B", "1 KiB", "1536 B", "65507 B", "64 KiB", "1 MiB", "2 GiB", "1048577 B");
    }

    @Test
    void numbersAreGroupedAndWhatIsMissingIsADash() {
        assertThat(Figures.number(1234567.891, 1)).isEqualTo("1\u202f234\u202f567.9");
        assertThat(Figures.number(Double.NaN, 2)).isEqualTo("–");
    }

    @Test
    void decimalsAreThoseThatTheSmallestFigureNeeds() {
        assertThat(decimals(Metric.BANDWIDTH, 0.0449, 70.456, 12345.6)).isEqualTo(4);
        assertThat(decimals(Metric.BANDWIDTH, 0.75, 70.456, 12345.6)).isEqualTo(2);
        assertThat(decimals(Metric.BANDWIDTH, 0, Double.NaN, 12345.6)).isZero();
        assertThat(decimals(Metric.BANDWIDTH)).isEqualTo(2);
        assertThat(decimals(Metric.RATE, 14738.2, 3)).isZero();
    }

    private static int decimals(Metric metric, double... values) {
        return Figures.decimals(metric, DoubleStream.of(values));
    }

    @Test
    void metricsOfOneUnitHaveTheSameDecimals() {
        assertThat(Metric.values())
                .allSatisfy(metric -> assertThat(metric.decimals()).isEqualTo(Metric.decimals(metric.unit())));
    }

    @Test
    void valuesAreText() {
        assertThat(Figures.text(null)).isEmpty();
        assertThat(Figures.text(4096.0)).isEqualTo("4096");
        assertThat(Figures.text(1.5)).isEqualTo("1.5");
        assertThat(Figures.text(true)).isEqualTo("yes");
        assertThat(Figures.text(Arrays.asList("a", null, 2.0))).isEqualTo("a  2");
    }
}
