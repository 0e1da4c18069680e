// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.List;

/**
 * A chart of the page; the script draws it.
 *
 * @param kind its kind
 * @param title its title
 * @param unit of the vertical axis
 * @param choice the value by which its panels differ; empty when there is one
 * @param panels the panels, one of which is visible at a time
 * @param guides reference lines for all panels
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
     * A reference line, which is not a measurement.
     *
     * @param name its name
     * @param points x and y
     */
    record Guide(String name, List<double[]> points) {}

    /** The kinds of charts. */
    enum Kind {
        /** Values over the percentile, logarithmic towards 100 %. */
        PERCENTILES,

        /** Values over the message size, logarithmic. */
        SIZES,

        /** Bars from zero, of few sizes. */
        BARS,

        /** Values over the number of the round. */
        ROUNDS
    }

    /**
     * The visible part of a chart.
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
     * @param complete whether these are all points; otherwise they are a few points of a curve, which are marked
     * @param points x and y
     * @param rounds x and y of single rounds
     */
    record Line(Series series, String name, boolean complete, List<double[]> points, List<double[]> rounds) {}
}
