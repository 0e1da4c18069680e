// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.compare.Samples;
import io.github.rdma4j.perftest.compare.plan.CompareCase;
import io.github.rdma4j.perftest.compare.result.CaseResult;
import io.github.rdma4j.perftest.compare.result.ComparisonRow;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.options.Tool;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTableTest {
    private static final double[] C = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10};

    @Test
    void beginsWithTheMediansAndExplainsTheRatio() {
        double[] java = {9, 10.1, 10.2, 10.3, 10.4, 10.5, 10.6, 10.7, 10.8, 10.9, 11, 11.1, 11.2, 11.3, 90};

        assertThat(ComparisonTable.of(List.of(Samples.latencyResult(java, C)))).isEqualTo("""
                tool              bytes  metric              Java median     C median   ratio  95 % interval     Java best       C best
                ib_write_lat          2  t_typical [usec]          10.70        10.00   1.070  1.030 to 1.110         9.00        10.00
                ib_write_lat          2  t_avg [usec]              11.70        11.00   1.064  1.027 to 1.100        10.00        11.00
                ib_write_lat          2  99% [usec]                23.40        22.00   1.064  1.027 to 1.100        20.00        22.00
                ratio: the median of each round's Java / C, of 15 rounds. The interval holds the true median with 95 % confidence or more; with 1 inside, no difference is shown.
                Latency [usec]: below 1 Java is faster. Bandwidth and message rate: above 1 Java is faster. best: of one round, which luck picks.
                """);
    }

    /** One of a hundred samples would be its whole percentile. */
    @Test
    void percentileNeedsAThousandSamples() {
        CompareCase large = new CompareCase(Tool.WRITE_LATENCY, 1 << 20);
        CaseResult few = new CaseResult(
                large, Samples.order(large), Samples.latencyResult(C, C).rounds());

        assertThat(few.order().iterations()).isLessThan(1000);
        assertThat(few.rows())
                .extracting(ComparisonRow::metric)
                .containsExactly(Metric.TYPICAL_LATENCY, Metric.AVERAGE_LATENCY);
    }

    /** One lucky round of C's makes its best figure, and nothing else. */
    @Test
    void oneLuckyRoundDoesNotMoveTheRatio() {
        double[] java = {10.5, 10.5, 10.5, 10.5, 10.5, 10.5, 10.5};

        ComparisonRow row = Samples.latencyResult(java, new double[] {10, 10, 10, 6.6, 10, 10, 10})
                .rows()
                .getFirst();

        assertThat(row.bestRatio()).isGreaterThan(1.5);
        assertThat(row.ratio().median()).isEqualTo(1.05);
    }

    /** A change of both sides of a round changes neither its ratio nor the interval. */
    @Test
    void roundIsComparedWithItself() {
        ComparisonRow row = Samples.latencyResult(
                        new double[] {11, 22, 33, 44, 55, 66, 77}, new double[] {10, 20, 30, 40, 50, 60, 70})
                .rows()
                .getFirst();

        assertThat(row.ratio().low()).isEqualTo(1.1);
        assertThat(row.ratio().high()).isEqualTo(1.1);
    }

    @Test
    void withFewRoundsThereIsNoInterval() {
        List<String> lines =
                ComparisonTable.of(List.of(Samples.bandwidthResult())).lines().toList();

        assertThat(lines.get(1))
                .endsWith("        60.00        50.00   1.200  -                     60.00        50.00");
        assertThat(lines.get(3))
                .isEqualTo("ratio: the median of each round's Java / C, of 1 round. An interval needs 6 rounds.");
    }

    @Test
    void rowsFitALine() {
        assertThat(ComparisonTable.of(List.of(Samples.latencyResult(C, C), Samples.bandwidthResult()))
                        .lines()
                        .limit(5))
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(120));
    }
}
