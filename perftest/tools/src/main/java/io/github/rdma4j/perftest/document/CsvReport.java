// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.GpuInfo;
import io.github.rdma4j.perftest.result.LatencyResult;
import io.github.rdma4j.perftest.result.Pace;
import io.github.rdma4j.perftest.result.RunOutcome;
import io.github.rdma4j.perftest.result.RunState;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.result.TimedLatencyResult;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Writes a test as comma-separated rows under the names of the JSON's keys: one row per size, with "all" as its round,
 * and with several rounds one more row for each. A test of GPU memory has one more column, the path. The last column is
 * the state of the test. A test that ended without a result has one row with only this column.
 */
final class CsvReport {
    private static final String ALL = "all";

    private CsvReport() {}

    /**
     * Writes the rows.
     *
     * @param out receives UTF-8; it is not closed
     */
    static void write(RunOutcome outcome, OutputStream out) throws IOException {
        boolean latency = outcome.info().parameters().tool().isLatency();
        StringBuilder text = new StringBuilder("tool,device,MsgSize,round,");
        text.append(
                latency
                        ? "samples,min_usec,mean_usec,stdev_usec,"
                                + LatencyFigures.PERCENTILES.stream()
                                        .map(percent -> "p" + LatencyFigures.name(percent) + "_usec")
                                        .collect(Collectors.joining(","))
                                + ",max_usec,rate,rate_reached"
                        : "n_iterations,BW_peak,BW_average,BW_unit,MsgRate");
        GpuInfo gpu = outcome.info().gpu();
        text.append(gpu == null ? ",state\n" : ",gpu_path,state\n");
        String end =
                (gpu == null ? "," : "," + gpu.path() + ",") + outcome.state().key() + "\n";
        String begin = outcome.info().parameters().tool().command() + ","
                + outcome.info().device() + ",";
        for (SizeResult result : outcome.results()) {
            rows(result)
                    .forEach(row -> text.append(begin)
                            .append(result.size())
                            .append(',')
                            .append(row)
                            .append(end));
        }
        if (outcome.results().isEmpty() && outcome.state() != RunState.COMPLETE) {
            long columns = text.chars().filter(c -> c == ',').count();
            long filled = (begin + end).chars().filter(c -> c == ',').count();
            text.append(begin).append(",".repeat((int) (columns - filled))).append(end);
        }
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> rows(SizeResult result) {
        return switch (result) {
            case LatencyResult r -> {
                List<LatencyFigures> rounds = r.rounds();
                yield withRounds(
                        row(ALL, r.latency()) + pace(r.pace()),
                        rounds.size(),
                        i -> row("" + (i + 1), rounds.get(i)) + pace(null));
            }
            case TimedLatencyResult r -> List.of(row(ALL, r.latency()) + pace(r.pace()));
            case BandwidthResult r ->
                withRounds(
                        row(ALL, r),
                        r.rounds().size(),
                        i -> row("" + (i + 1), r.rounds().get(i)));
        };
    }

    private static List<String> withRounds(String all, int rounds, IntFunction<String> round) {
        return rounds < 2
                ? List.of(all)
                : Stream.concat(Stream.of(all), IntStream.range(0, rounds).mapToObj(round))
                        .toList();
    }

    private static String row(String round, LatencyFigures figures) {
        return round + "," + figures.samples() + "," + number(figures.minimum()) + "," + number(figures.mean()) + ","
                + number(figures.deviation()) + ","
                + LatencyFigures.PERCENTILES.stream()
                        .map(percent -> number(figures.percentile(percent)))
                        .collect(Collectors.joining(","))
                + "," + number(figures.maximum());
    }

    private static String pace(Pace pace) {
        return pace == null ? ",," : "," + number(pace.asked()) + "," + number(pace.reached());
    }

    private static String row(String round, BandwidthResult result) {
        return round + "," + result.iterations() + "," + number(result.peak()) + "," + number(result.average()) + ","
                + BandwidthResult.unit(result.gigabits()) + "," + number(result.messageRate());
    }

    /** A value that could not be computed becomes an empty field. */
    private static String number(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%.6f", value) : "";
    }
}
