// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Collection;
import java.util.List;
import java.util.stream.DoubleStream;

/** Which rates are offered where none are given: parts of what the slower transport can answer. */
final class Rates {
    private static final double[] PARTS = {0.25, 0.5, 0.75};

    /** The probe is not more exact, and a table is easier to read so. */
    private static final MathContext DIGITS = new MathContext(2, RoundingMode.DOWN);

    private Rates() {}

    /**
     * The rates, ascending.
     *
     * @param perSecond what the transports answer
     */
    static List<Double> of(Collection<Double> perSecond) {
        double least = perSecond.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
        return DoubleStream.of(PARTS)
                .map(part ->
                        Math.max(1, new BigDecimal(part * least).round(DIGITS).doubleValue()))
                .distinct()
                .boxed()
                .toList();
    }
}
