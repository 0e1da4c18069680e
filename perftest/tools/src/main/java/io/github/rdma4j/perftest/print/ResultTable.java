// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.print;

import io.github.rdma4j.perftest.options.Output;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.LatencyResult;
import io.github.rdma4j.perftest.result.Observation;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.result.TimedLatencyResult;
import java.util.Locale;

/** The table of results, column by column as the C tools print it. */
public final class ResultTable {
    private ResultTable() {}

    public static String heading(RunParameters parameters) {
        // The C tools print the extra column in this format.
        return columns(parameters) + (parameters.placement().cpuUtilisation() ? "    CPU_Util[%]\n" : "\n");
    }

    private static String columns(RunParameters parameters) {
        if (!parameters.tool().isLatency()) {
            String unit = parameters.figures().gigabits() ? "Gb/sec" : "MiB/sec";
            return " #bytes     #iterations    BW peak[" + unit + "]    BW average[" + unit + "]   MsgRate[Mpps]";
        }
        if (parameters.isTimed()) {
            return " #bytes        #iterations       t_avg[usec]    tps average";
        }
        String columns =
                " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
                        + "   99% percentile[usec]   99.9% percentile[usec] ";
        return parameters.figures().cyclesPerMicrosecond() > 0 ? columns.replace("usec", "cycles") : columns;
    }

    /**
     * Returns the figure of a result that --output prints.
     *
     * @param scale of times in microseconds; 1 for none
     */
    static double number(SizeResult result, Output output, double scale) {
        return switch (result) {
            case LatencyResult r -> r.average() * scale;
            case TimedLatencyResult r -> r.average();
            case BandwidthResult r -> output == Output.MESSAGE_RATE ? r.messageRate() : r.average();
        };
    }

    public static String row(SizeResult result) {
        return row(result, 1);
    }

    /**
     * A row in another unit of time.
     *
     * @param scale of times in microseconds
     */
    static String row(SizeResult result, double scale) {
        return columns(result, scale) + "\n";
    }

    /**
     * Returns a line with the observation of the machine: one more column, and the counters below.
     *
     * @param scale of times in microseconds; 1 for none
     * @param withCpu whether the heading has a column for the CPU
     */
    static String row(SizeResult result, double scale, Observation observation, boolean withCpu) {
        StringBuilder text = new StringBuilder(columns(result, scale));
        if (withCpu) {
            // A side that only serves measures nothing, and the C tools print 0.00 there.
            double utilisation = observation.cpuUtilisation();
            text.append(format("\t    %-3.2f", Double.isNaN(utilisation) ? 0 : utilisation));
        }
        text.append('\n');
        if (!observation.counters().isEmpty()) {
            observation.counters().forEach((name, change) -> text.append(format("\t%s=%d\n", name, change)));
            text.append('\n');
        }
        return text.toString();
    }

    private static String columns(SizeResult result, double scale) {
        return switch (result) {
            case LatencyResult r ->
                format(
                        " %-7d %d          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f \t"
                                + "\t%-7.2f",
                        r.size(),
                        r.iterations(),
                        r.minimum() * scale,
                        r.maximum() * scale,
                        r.typical() * scale,
                        r.average() * scale,
                        r.deviation() * scale,
                        r.percentile99() * scale,
                        r.percentile999() * scale);
            case TimedLatencyResult r ->
                format(
                        " %-7d       %d            %-7.2f        %-7.2f",
                        r.size(), r.iterations(), r.average(), r.transactionsPerSecond());
            case BandwidthResult r ->
                format(
                        r.hasSmallFigures()
                                ? " %-7d    %d           %-7.6f            %-7.6f            %-7.6f"
                                : " %-7d    %-10d       %-7.2f            %-7.2f\t\t     %-7.6f",
                        r.size(),
                        r.iterations(),
                        r.peak(),
                        r.average(),
                        r.messageRate());
        };
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
