// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What may be compared: all that was measured with one tool and the same settings.
 *
 * @param title tool and settings
 * @param latency whether it is of latency, not of bandwidth
 * @param series in the order of their display
 */
record Chapter(String title, boolean latency, List<Series> series) {
    /** All sizes of all series. */
    SortedSet<Long> sizes() {
        SortedSet<Long> sizes = new TreeSet<>();
        series.forEach(line -> sizes.addAll(line.results().keySet()));
        return sizes;
    }

    /** Whether any series has it. */
    boolean has(Metric metric) {
        return series.stream()
                .flatMap(line -> line.results().values().stream())
                .anyMatch(result -> !Double.isNaN(result.metric(metric)));
    }

    /** What the chapter is about: the figure that stands first in every table. */
    Metric principal() {
        if (!latency) {
            return Metric.BANDWIDTH;
        }
        return has(Metric.MEDIAN) ? Metric.MEDIAN : Metric.MEAN;
    }

    /**
     * What a series is compared with: C's of the same document, or else the first of C's; null where there is none, or for
     * itself.
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
