// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import java.util.EnumMap;
import java.util.Map;

/**
 * One round of one case.
 *
 * @param number from 1
 * @param measurements the measurements; plain TCP may be missing
 */
public record Round(int number, Map<Implementation, Measurement> measurements) {
    /** Copies the map. */
    public Round {
        measurements = new EnumMap<>(measurements);
    }

    /** Returns the measurement of an implementation; null when it was not run. */
    public Measurement of(Implementation implementation) {
        return measurements.get(implementation);
    }

    /** Returns the ratio of Java's figure to C's; NaN when one of them is missing. */
    double ratio(Metric metric) {
        Measurement java = of(Implementation.JAVA);
        Measurement c = of(Implementation.C);
        return java == null || c == null ? Double.NaN : java.figureOrNaN(metric) / c.figureOrNaN(metric);
    }
}
