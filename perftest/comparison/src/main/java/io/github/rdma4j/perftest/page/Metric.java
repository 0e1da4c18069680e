// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.Arrays;
import java.util.Map;

/** Something that is measured, as the charts and tables show it. */
enum Metric {
    /** Median latency. */
    MEDIAN("t_typical", "Median", "µs", 2, true),

    /** 99th percentile of latency. */
    PERCENTILE_99("percentile_99", "99 %", "µs", 2, true),

    /** 99.9th percentile of latency. */
    PERCENTILE_999("percentile_99.9", "99.9 %", "µs", 2, true),

    /** Mean latency. */
    MEAN("t_avg", "Mean", "µs", 2, true),

    /** Bytes per time over a whole run. */
    BANDWIDTH("BW_average", "Average", "MiB/s", 2, false),

    /** Bytes per time in the best part of a run. */
    PEAK("BW_peak", "Peak", "MiB/s", 2, false),

    /** Bytes of the result of a collective per time. */
    ALGORITHM_BANDWIDTH("algorithm_bandwidth", "Algorithm bandwidth", "GB/s", 3, false),

    /** The rate of each link of a ring in a collective; none for one rank. */
    BUS_BANDWIDTH("bus_bandwidth", "Bus bandwidth", "GB/s", 3, false),

    /** The time of a collective. */
    OPERATION("t_operation", "Time of an operation", "µs", 2, true),

    /** Messages per time. */
    RATE("MsgRate", "Message rate", "messages/s", 0, false),

    /** CPU time of both ends. */
    CPU("ns_per_message", "Processes", "µs", 2, true),

    /** CPU time of all processors. */
    MACHINE_CPU("machine_ns_per_message", "Whole machine", "µs", 2, true);

    private static final double MEBIBITS_OF_GIGABIT = 1e9 / 8 / (1 << 20);
    private static final double MILLION = 1e6;
    private static final double NANOSECONDS = 1000;

    private final String key;
    private final String title;
    private final String unit;
    private final int decimals;
    private final boolean lowerIsBetter;

    Metric(String key, String title, String unit, int decimals, boolean lowerIsBetter) {
        this.key = key;
        this.title = title;
        this.unit = unit;
        this.decimals = decimals;
        this.lowerIsBetter = lowerIsBetter;
    }

    /** In results documents. */
    String key() {
        return key;
    }

    /** Returns the shown name. */
    String title() {
        return title;
    }

    /** Returns the unit of {@link #in}. */
    String unit() {
        return unit;
    }

    /** Returns the shown decimals; metrics of one unit have equal numbers of decimals. */
    int decimals() {
        return decimals;
    }

    /** The decimals of the metrics with a unit. */
    static int decimals(String unit) {
        return Arrays.stream(values())
                .filter(metric -> metric.unit.equals(unit))
                .findFirst()
                .orElseThrow()
                .decimals;
    }

    /** Returns whether less is better. */
    boolean lowerIsBetter() {
        return lowerIsBetter;
    }

    /**
     * Returns the number in this metric's unit.
     *
     * @param figures by their keys in the document
     * @param gigabits whether the document's bandwidths are in Gb/s
     * @return NaN when there is none
     */
    double in(Map<String, Double> figures, boolean gigabits) {
        double value = figures.getOrDefault(key, Double.NaN);
        return switch (this) {
            case BUS_BANDWIDTH -> value == 0 ? Double.NaN : value;
            // C's tools write 0 if they have not measured a peak.
            case PEAK -> value == 0 ? Double.NaN : mebibytes(value, gigabits);
            case BANDWIDTH -> mebibytes(value, gigabits);
            case RATE -> value * MILLION;
            case CPU, MACHINE_CPU -> value / NANOSECONDS;
            default -> value;
        };
    }

    private static double mebibytes(double value, boolean gigabits) {
        return gigabits ? value * MEBIBITS_OF_GIGABIT : value;
    }
}
