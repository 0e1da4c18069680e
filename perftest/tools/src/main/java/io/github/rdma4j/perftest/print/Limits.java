// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.print;

import io.github.rdma4j.perftest.options.FigureOptions;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.SizeResult;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Checks whether a test met the requested limits (-w, -y). As in the C tools, the best of several sizes counts, and a
 * side that neither sends nor receives itself does not judge the figures that its peer reports. Unlike there, -y does
 * not need -w.
 */
public final class Limits {
    private Limits() {}

    /** Describes the limits that were not reached; empty when all were. */
    public static String missed(List<SizeResult> results, RunParameters parameters) {
        if (!parameters.sends() && !parameters.usesReceives()) {
            return "";
        }
        FigureOptions figures = parameters.figures();
        double bandwidth = best(results, BandwidthResult::average);
        if (bandwidth < figures.leastBandwidth()) {
            return String.format(
                    Locale.ROOT,
                    "BW result is below bw limit: %.2f %s, -w/--limit_bw %s",
                    bandwidth,
                    BandwidthResult.unit(figures.gigabits()),
                    TimeList.shortest(figures.leastBandwidth()));
        }
        double rate = best(results, BandwidthResult::messageRate);
        if (rate < figures.leastMessageRate()) {
            return String.format(
                    Locale.ROOT,
                    "Msg rate is below msg_rate limit: %.6f Mpps, -y/--limit_msgrate %s",
                    rate,
                    TimeList.shortest(figures.leastMessageRate()));
        }
        return "";
    }

    private static double best(List<SizeResult> results, ToDoubleFunction<BandwidthResult> figure) {
        return results.stream()
                .filter(BandwidthResult.class::isInstance)
                .map(BandwidthResult.class::cast)
                .mapToDouble(figure)
                .max()
                .orElse(0);
    }
}
