// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.figures.Spread;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The figures of two hosts.
 *
 * @param pair the hosts
 * @param figures by probe, the figure of each repetition
 * @param losses the growth of the counters of both ports that show lost packets
 * @param messages the number of messages that were sent meanwhile
 * @param failure what ended the measurement of the pair early; null if nothing did
 */
record PairResult(
        Rounds.Pair pair, Map<Probe, List<Double>> figures, Map<String, Long> losses, long messages, String failure) {
    /** Copies the maps. */
    PairResult {
        figures = Map.copyOf(figures);
        losses = Map.copyOf(losses);
    }

    /** Returns this result with the runs of another measurement of the pair, and the smaller losses of the two. */
    PairResult with(PairResult other) {
        Map<Probe, List<Double>> all = new EnumMap<>(Probe.class);
        for (Probe probe : Probe.values()) {
            List<Double> runs = new ArrayList<>(figures.getOrDefault(probe, List.of()));
            runs.addAll(other.figures.getOrDefault(probe, List.of()));
            if (!runs.isEmpty()) {
                all.put(probe, runs);
            }
        }
        PairResult fewer = other.failure == null && other.lost() < lost() ? other : this;
        return new PairResult(pair, all, fewer.losses, fewer.messages, other.failure == null ? failure : other.failure);
    }

    /** Returns the median of the repetitions; NaN if there is none. */
    double median(Probe probe) {
        List<Double> values = figures.getOrDefault(probe, List.of());
        return values.isEmpty() ? Double.NaN : spread(values).median();
    }

    /** Returns the best repetition, which other programs have disturbed least; NaN if there is none. */
    double best(Probe probe) {
        List<Double> values = figures.getOrDefault(probe, List.of());
        if (values.isEmpty()) {
            return Double.NaN;
        }
        return probe.metric().lowerIsBetter()
                ? spread(values).minimum()
                : spread(values).maximum();
    }

    private static Spread spread(List<Double> values) {
        return Spread.of(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    /** Returns the number of lost packets that both ends have noticed; at least that, because of several counters. */
    long lost() {
        return losses.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }
}
