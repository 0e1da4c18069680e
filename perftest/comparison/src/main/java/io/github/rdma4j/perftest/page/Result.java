// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import io.github.rdma4j.perftest.figures.MedianInterval;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * The result of one message size.
 *
 * @param size of a message in bytes
 * @param iterations messages
 * @param figures numbers by their keys in the document
 * @param gigabits whether bandwidth is in Gb/s, not in MiB/s
 * @param allSamples latencies of all samples together, under the same keys; empty without them
 * @param percentiles distribution of the latencies; empty for other results
 * @param rounds the figures of each round; empty when there was one
 * @param openLoop whether latency counts from the intended start of a message
 */
record Result(
        long size,
        long iterations,
        Map<String, Double> figures,
        boolean gigabits,
        Map<String, Double> allSamples,
        PercentileCurve percentiles,
        List<Map<String, Double>> rounds,
        boolean openLoop) {
    /** Key of the messages per second of an open loop. */
    static final String RATE = "rate";

    /** The key of a round's number. A comparison contains it, because not every program takes part in every round. */
    private static final String ROUND = "round";

    /** Returns a number by its key; NaN when there is none. */
    double figure(String key) {
        return figures.getOrDefault(key, Double.NaN);
    }

    /** Returns whether it is of latency. */
    boolean isLatency() {
        return figures.containsKey(Metric.MEDIAN.key()) || figures.containsKey(Metric.MEAN.key());
    }

    /**
     * Returns whether its figures are the medians of its rounds, as in a comparison; otherwise they are figures of all
     * samples.
     */
    boolean isMedianOfRounds() {
        return rounds.size() > 1 && rounds.stream().allMatch(round -> round.containsKey(ROUND));
    }

    /** Returns the figures of the result's row in a table, which all belong to equal samples. */
    Map<String, Double> ofRow() {
        if (!isMedianOfRounds()) {
            return figures;
        }
        Map<String, Double> medians = new HashMap<>(figures);
        medians.keySet().removeIf(key -> rounds.stream().noneMatch(round -> round.containsKey(key)));
        return medians;
    }

    /** Returns the number of samples behind each figure of the row; 0 if unknown. */
    long samplesOfRow() {
        return isMedianOfRounds() && !allSamples.isEmpty()
                ? percentiles.samples() / rounds.size()
                : percentiles.samples();
    }

    /** Returns the few percentiles that C's tools print as columns. In a comparison they belong to the middle round. */
    PercentileCurve ofColumns() {
        return PercentileCurve.ofC(figures, iterations);
    }

    /** Returns the number of each round; NaN for a round without one. */
    List<Double> ofRounds(Metric metric) {
        return rounds.stream().map(round -> metric.in(round, gigabits)).toList();
    }

    /** The number of a round, from 1. */
    double roundNumber(int index) {
        return rounds.get(index).getOrDefault(ROUND, index + 1.0);
    }

    /**
     * Returns the ratio of a metric to another program's, from the rounds in which both programs ran in turn. Without
     * such rounds it is the ratio of the overall figures, without an interval.
     */
    MedianInterval ratio(Result other, Metric metric) {
        Map<Double, Double> theirs = new HashMap<>();
        other.rounds.forEach(round -> theirs.put(round.get(ROUND), metric.in(round, other.gigabits)));
        double[] ratios = rounds.stream()
                .filter(round -> round.containsKey(ROUND))
                .mapToDouble(round -> metric.in(round, gigabits) / theirs.getOrDefault(round.get(ROUND), Double.NaN))
                .filter(Double::isFinite)
                .toArray();
        return ratios.length == 0
                ? MedianInterval.of(metric(metric) / other.metric(metric))
                : MedianInterval.of(ratios);
    }

    /** The best of the rounds; NaN when there were none. */
    double best(Metric metric) {
        DoubleStream values =
                ofRounds(metric).stream().mapToDouble(Double::doubleValue).filter(Double::isFinite);
        return (metric.lowerIsBetter() ? values.min() : values.max()).orElse(Double.NaN);
    }

    /** Returns a metric in its unit; NaN when there is none. */
    double metric(Metric metric) {
        return metric.in(figures, gigabits);
    }
}
