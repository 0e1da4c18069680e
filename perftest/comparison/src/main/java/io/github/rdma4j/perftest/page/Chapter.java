// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Results that can be compared: all results of one tool with equal settings.
 *
 * @param title tool and settings
 * @param latency whether it is about latency, not bandwidth
 * @param series in the order of their display
 */
record Chapter(String title, boolean latency, List<Series> series) {
    /** Returns all sizes that were measured over RDMA or, if there are none, all sizes. */
    SortedSet<Long> sizes() {
        SortedSet<Long> sizes = new TreeSet<>();
        series.stream()
                .filter(line -> !line.party().isTcp())
                .forEach(line -> sizes.addAll(line.results().keySet()));
        if (sizes.isEmpty()) {
            series.forEach(line -> sizes.addAll(line.results().keySet()));
        }
        return sizes;
    }

    /**
     * Returns the result of a series at a size. A program for TCP may have other sizes (sockperf from 14 to 65507
     * bytes): then it is the nearest result, unless another size of the chapter is nearer to it. Returns null if there
     * is none.
     */
    Result at(Series line, long size) {
        Result exact = line.results().get(size);
        if (exact != null) {
            return exact;
        }
        SortedSet<Long> sizes = sizes();
        return line.results().values().stream()
                .filter(result -> !sizes.contains(result.size()))
                .filter(result -> nearest(sizes, result.size()) == size)
                .min(Comparator.comparingLong(result -> distance(result.size(), size)))
                .orElse(null);
    }

    /** Returns a metric of a series at a size; NaN when there is none. */
    double at(Series line, long size, Metric metric) {
        Result result = at(line, size);
        return result == null ? Double.NaN : result.metric(metric);
    }

    private static long nearest(SortedSet<Long> sizes, long size) {
        return sizes.stream()
                .min(Comparator.comparingLong(other -> distance(other, size)))
                .orElseThrow();
    }

    private static long distance(long size, long other) {
        return Math.abs(size - other);
    }

    /**
     * Returns whether latency is a round trip: a read or an atomic operation ends with its answer.
     */
    boolean isRoundTrip() {
        return title.startsWith("ib_read") || title.startsWith("ib_atomic");
    }

    /** All results of chapters. */
    static Stream<Result> results(List<Chapter> chapters) {
        return chapters.stream()
                .flatMap(chapter -> chapter.series.stream())
                .flatMap(line -> line.results().values().stream());
    }

    /** Returns whether any series has it. */
    boolean has(Metric metric) {
        return results(List.of(this)).anyMatch(result -> !Double.isNaN(result.metric(metric)));
    }

    /** Returns the main metric of the chapter, which is the first column of every table. */
    Metric principal() {
        if (isCollective()) {
            return has(Metric.BUS_BANDWIDTH) ? Metric.BUS_BANDWIDTH : Metric.ALGORITHM_BANDWIDTH;
        }
        if (!latency) {
            return Metric.BANDWIDTH;
        }
        return has(Metric.MEDIAN) ? Metric.MEDIAN : Metric.MEAN;
    }

    /** Returns whether it is of what several ranks do together. */
    boolean isCollective() {
        return has(Metric.ALGORITHM_BANDWIDTH);
    }

    /** Returns the metrics of the summary. */
    List<Metric> atAGlance() {
        if (isCollective()) {
            return List.of(principal(), Metric.OPERATION);
        }
        return List.of(principal(), Metric.CPU);
    }

    /**
     * Returns the series to compare with: C's series of the same document, or else C's first series. Returns null if
     * there is none or it is the series itself.
     */
    Series reference(Series line) {
        List<Series> ofC =
                series.stream().filter(other -> other.party() == Party.C).toList();
        Series chosen = ofC.stream()
                .filter(other -> other.document().equals(line.document()))
                .findFirst()
                .orElse(ofC.isEmpty() ? null : ofC.getFirst());
        return chosen == line ? null : chosen;
    }
}
