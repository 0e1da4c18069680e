// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.List;

/**
 * A chart of the page; the script draws it.
 *
 * @param kind how it is drawn
 * @param title what it shows
 * @param unit of the vertical axis
 * @param choice what its panels differ in; empty when there is one
 * @param panels one of them is seen at a time
 * @param guides what all panels are compared with
 */
record Chart(Kind kind, String title, String unit, String choice, List<Panel> panels, List<Guide> guides) {
    /** Without guides. */
    Chart(Kind kind, String title, String unit, String choice, List<Panel> panels) {
        this(kind, title, unit, choice, panels, List.of());
    }

    /** This chart with guides. */
    Chart with(List<Guide> others) {
        return new Chart(kind, title, unit, choice, panels, others);
    }

    /**
     * A line that nobody measured.
     *
     * @param name what it is
     * @param points x and y
     */
    record Guide(String name, List<double[]> points) {}

    /** How a chart is drawn. */
    enum Kind {
        /** Values over the percentile, logarithmic towards 100 %. */
        PERCENTILES,

        /** Values over the message size, logarithmic. */
        SIZES,

        /** Values over the messages per second that were offered. */
        RATES,

        /** Bars from zero, of few sizes. */
        BARS,

        /** Values over the number of the round. */
        ROUNDS
    }

    /**
     * What is seen at a time.
     *
     * @param label for the choice
     * @param lines one per series
     */
    record Panel(String label, List<Line> lines) {}

    /**
     * A series.
     *
     * @param series whose
     * @param name of the series, or more
     * @param complete whether the points are all there is; else a few of a curve, which are marked
     * @param points x and y
     * @param rounds x and y of single rounds
     */
    record Line(Series series, String name, boolean complete, List<double[]> points, List<double[]> rounds) {}
}
