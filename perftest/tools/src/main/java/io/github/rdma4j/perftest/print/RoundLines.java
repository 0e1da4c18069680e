// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.print;

import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.figures.Spread;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.LatencyResult;
import io.github.rdma4j.perftest.result.Pace;
import io.github.rdma4j.perftest.result.SizeResult;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The lines below the table about the rounds of a size and about its pace. No line begins with a number. */
final class RoundLines {
    private RoundLines() {}

    /** Describes how far the rounds of a size differ; empty for a single round. */
    static String spread(SizeResult result) {
        return switch (result) {
            case LatencyResult r
            when r.rounds().size() > 1 ->
                head(r, r.rounds().size())
                        + line("t_typical[usec]", 2, r.rounds(), LatencyFigures::median)
                        + line("t_avg[usec]", 2, r.rounds(), LatencyFigures::mean)
                        + line("99%[usec]", 2, r.rounds(), round -> round.percentile(99))
                        + line("max[usec]", 2, r.rounds(), LatencyFigures::maximum);
            case BandwidthResult r
            when r.rounds().size() > 1 ->
                head(r, r.rounds().size())
                        + line(
                                "BW average[" + BandwidthResult.unit(r.gigabits()) + "]",
                                2,
                                r.rounds(),
                                BandwidthResult::average)
                        + line("MsgRate[Mpps]", 6, r.rounds(), BandwidthResult::messageRate);
            default -> "";
        };
    }

    private static String head(SizeResult result, int rounds) {
        return String.format(Locale.ROOT, " rounds of %d bytes: %d%n", result.size(), rounds);
    }

    private static <T> String line(String name, int decimals, List<T> rounds, ToDoubleFunction<T> figure) {
        Spread spread = Spread.of(rounds.stream().mapToDouble(figure).toArray());
        String number = "%." + decimals + "f";
        return String.format(
                Locale.ROOT,
                "   %-19s min " + number + "  median " + number + "  max " + number
                        + "  (max - min = %.1f %% of median)\n",
                name,
                spread.minimum(),
                spread.median(),
                spread.maximum(),
                spread.percent());
    }

    /** The pace of a size; empty for a closed loop. */
    static String pace(SizeResult result) {
        Pace pace = result.pace();
        if (pace == null) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                " open loop of %d bytes: %.6g messages per second due, %.6g posted; latency counts from when each was"
                        + " due\n",
                result.size(),
                pace.asked(),
                pace.reached());
    }
}
