// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.figures.LatencySamples;
import io.github.rdma4j.perftest.tcp.TcpParameters;
import java.util.LinkedHashMap;
import java.util.Map;

/** Figures of plain TCP under the keys of the RDMA tools. */
public final class TcpFigures {
    private static final double MEBIBYTE = 1 << 20;
    private static final double NANOSECOND = 1e-9;

    private TcpFigures() {}

    /**
     * Returns the latencies between sends, as the RDMA tools compute them: the time from one send to the next, or half
     * of it.
     *
     * @param stamps nanoseconds, ascending, at least 2
     * @param parts the number of equal parts of it, one of which is the latency
     */
    public static LatencyFigures latency(long[] stamps, int parts) {
        LatencySamples samples = new LatencySamples(parts);
        for (int i = 1; i < stamps.length; i++) {
            samples.record(stamps[i] - stamps[i - 1]);
        }
        long now = System.currentTimeMillis();
        return samples.figures(now - (stamps[stamps.length - 1] - stamps[0]) / 1_000_000, now);
    }

    /** Returns the columns of the latency tools' table. */
    public static Map<String, Double> of(TcpParameters run, LatencyFigures latency) {
        Map<String, Double> figures = begin(run.size(), run.iterations());
        figures.put("t_min", latency.minimum());
        figures.put("t_max", latency.maximum());
        figures.put("t_typical", latency.median());
        figures.put("t_avg", latency.mean());
        figures.put("t_stdev", latency.deviation());
        figures.put("percentile_99", latency.percentile(99));
        figures.put("percentile_99.9", latency.percentile(99.9));
        return figures;
    }

    /**
     * Returns the columns of the bandwidth tools' table.
     *
     * @param nanoseconds from the first send to the arrival of the last message
     */
    static Map<String, Double> of(TcpParameters run, long nanoseconds) {
        return bandwidth(
                run.size(), run.iterations(), (double) run.size() * run.iterations() / (nanoseconds * NANOSECOND));
    }

    /** Returns the columns of the bandwidth tools' table. */
    static Map<String, Double> bandwidth(int size, long iterations, double bytesPerSecond) {
        Map<String, Double> figures = begin(size, iterations);
        figures.put(Metric.AVERAGE_BANDWIDTH.key(), bytesPerSecond / MEBIBYTE);
        figures.put(Metric.MESSAGE_RATE.key(), bytesPerSecond / size / 1e6);
        return figures;
    }

    /** Returns the first two columns of all tables. */
    static Map<String, Double> begin(int size, long iterations) {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("bytes", (double) size);
        figures.put("iterations", (double) iterations);
        return figures;
    }
}
