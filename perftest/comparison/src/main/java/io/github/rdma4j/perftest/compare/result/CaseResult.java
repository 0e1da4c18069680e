// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import io.github.rdma4j.perftest.compare.plan.CompareCase;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.figures.MedianInterval;
import io.github.rdma4j.perftest.figures.Spread;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * All rounds of one case.
 *
 * @param test tool and size
 * @param order the order of each run
 * @param rounds at least one
 */
public record CaseResult(CompareCase test, RunOrder order, List<Round> rounds) {
    /** Ten samples then lie beyond it. */
    private static final int LEAST_SAMPLES_OF_PERCENTILE_99 = 1000;

    /** Copies the list. */
    public CaseResult {
        rounds = List.copyOf(rounds);
    }

    /** Returns the measurements of an implementation, round by round; empty when it was not run. */
    public List<Measurement> of(Implementation implementation) {
        return rounds.stream()
                .map(round -> round.of(implementation))
                .filter(Objects::nonNull)
                .toList();
    }

    /** Returns the metrics of the tool; for latencies also the 99th percentile, if a run has enough samples for it. */
    public List<Metric> compared() {
        Stream<Metric> metrics = Metric.of(test.tool()).stream();
        return (test.tool().isLatency() && order.iterations() >= LEAST_SAMPLES_OF_PERCENTILE_99
                        ? Stream.concat(metrics, Stream.of(Metric.PERCENTILE_99))
                        : metrics)
                .toList();
    }

    /** Returns the compared metrics and the costs of messages. */
    public List<Metric> metrics() {
        return Stream.concat(compared().stream(), Metric.costs().stream()).toList();
    }

    /** Returns the comparison, metric by metric. */
    public List<ComparisonRow> rows() {
        return compared().stream().map(this::row).toList();
    }

    private ComparisonRow row(Metric metric) {
        return new ComparisonRow(
                test,
                metric,
                median(Implementation.JAVA, metric),
                median(Implementation.C, metric),
                ratio(metric),
                best(Implementation.JAVA, metric),
                best(Implementation.C, metric));
    }

    /**
     * Returns the ratio of Java's figure to C's: the median over the rounds, because both figures of a round were
     * measured one after the other. A round in which C has printed 0 has no ratio.
     */
    public MedianInterval ratio(Metric metric) {
        return MedianInterval.of(rounds.stream()
                .mapToDouble(round -> round.ratio(metric))
                .filter(Double::isFinite)
                .toArray());
    }

    /** Returns the best figure of all rounds; NaN when there is none. */
    public double best(Implementation implementation, Metric metric) {
        double[] figures = figures(implementation, metric);
        if (figures.length == 0) {
            return Double.NaN;
        }
        Spread spread = Spread.of(figures);
        return metric.lowerIsBetter() ? spread.minimum() : spread.maximum();
    }

    /** Returns the median figure of all rounds; NaN when there is none. */
    public double median(Implementation implementation, Metric metric) {
        double[] figures = figures(implementation, metric);
        return figures.length == 0 ? Double.NaN : Spread.of(figures).median();
    }

    /** Returns the figures of all rounds, without missing ones. */
    public double[] figures(Implementation implementation, Metric metric) {
        return of(implementation).stream()
                .mapToDouble(measurement -> measurement.figureOrNaN(metric))
                .filter(figure -> !Double.isNaN(figure))
                .toArray();
    }
}
