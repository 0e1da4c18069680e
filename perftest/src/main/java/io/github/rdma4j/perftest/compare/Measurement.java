// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The result of one run.
 *
 * @param implementation whose tool it was
 * @param output what it printed
 * @param figures the figures that count, under the keys of the C tools' JSON
 * @param seconds how long the run took, with its handshake, and in C with the start of the processes
 */
record Measurement(Implementation implementation, ToolOutput output, Map<String, Double> figures, double seconds) {
    /** Takes the figures from what was printed. */
    static Measurement of(Implementation implementation, ToolOutput output) {
        return new Measurement(implementation, output, output.figures(), 0);
    }

    /** The same with figures that are known better than they were printed. */
    Measurement with(Map<String, Double> exact) {
        Map<String, Double> merged = new LinkedHashMap<>(figures);
        merged.putAll(exact);
        return new Measurement(implementation, output, merged, seconds);
    }

    /** The same with the time it took. */
    Measurement taking(double time) {
        return new Measurement(implementation, output, figures, time);
    }

    /**
     * A figure that is compared.
     *
     * @throws CompareException when the tool did not print it, or something that is no figure
     */
    double figure(Metric metric) {
        Double value = figures.get(metric.key());
        if (value == null || !(value > 0) || value.isInfinite()) {
            throw new CompareException(
                    implementation.title() + " printed no usable " + metric.key() + ": '"
                            + output.row().strip() + "'",
                    "run more messages: -n");
        }
        return value;
    }
}
