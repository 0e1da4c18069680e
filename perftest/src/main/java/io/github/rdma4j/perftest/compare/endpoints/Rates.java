// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Collection;
import java.util.List;
import java.util.stream.DoubleStream;

/** Chooses the offered rates when none are given: fractions of the rate that the slower transport reaches. */
final class Rates {
    private static final double[] PARTS = {0.25, 0.5, 0.75};

    /** The probe is not more accurate, and a table with few digits is easier to read. */
    private static final MathContext DIGITS = new MathContext(2, RoundingMode.DOWN);

    private Rates() {}

    /**
     * The rates, ascending.
     *
     * @param perSecond the rates that the transports reach
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
