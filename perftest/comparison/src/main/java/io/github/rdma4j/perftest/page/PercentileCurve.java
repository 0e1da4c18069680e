// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Latencies over their percentiles.
 *
 * @param samples how many times there were; 0 when not known
 * @param complete whether it is computed from all samples; otherwise from the few percentiles that a tool has written
 * @param points ascending
 */
record PercentileCurve(long samples, boolean complete, List<Point> points) {
    /** The curve of results that are not latencies. */
    static final PercentileCurve NONE = new PercentileCurve(0, false, List.of());

    /**
     * The most bytes that reading a histogram may allocate: a table of counts with five digits, and the same for
     * unpacking it.
     */
    static final long MOST_MEMORY = 128 << 20;

    /** From twice as many on, HdrHistogram's steps towards 100 % get no smaller and do not end. */
    private static final long MOST_SAMPLES = 1L << 50;

    /** Points per halved distance to 100 %. */
    private static final int TICKS = 5;

    private static final double NANOSECONDS = 1000;
    private static final double ALL = 100;
    private static final Map<String, Double> PERCENTS =
            Map.of("t_typical", 50.0, "percentile_99", 99.0, "percentile_99.9", 99.9);

    /**
     * A point of the curve.
     *
     * @param tail 1 / (1 - percentile / 100): 1 for 0 %, 10 for 90 %, 100 for 99 %, the number of samples for the
     *     largest
     * @param microseconds the latency
     */
    record Point(double tail, double microseconds) {}

    /**
     * Reads a histogram. It allocates at most {@value #MOST_MEMORY} bytes besides the text's own length, whatever the
     * text contains.
     *
     * @param base64 HdrHistogram's compressed form, values in nanoseconds
     * @throws IllegalArgumentException when it is not a histogram
     */
    static PercentileCurve ofHistogram(String base64) {
        // The counts of a damaged histogram may be inconsistent, which is found by iterating over them.
        try {
            return of(Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(base64)), 0));
        } catch (DataFormatException | RuntimeException failure) {
            throw new IllegalArgumentException("is not a compressed HdrHistogram in base 64", failure);
        }
    }

    private static PercentileCurve of(Histogram histogram) {
        long samples = histogram.getTotalCount();
        if (samples > MOST_SAMPLES) {
            throw new IllegalArgumentException(samples + " samples; " + MOST_SAMPLES + " are the most");
        }
        List<Point> points = new ArrayList<>();
        if (samples > 0) {
            points.add(new Point(1, histogram.getMinValue() / NANOSECONDS));
            for (HistogramIterationValue step : histogram.percentiles(TICKS)) {
                double tail = tail(step.getPercentile(), samples);
                double value = Math.min(step.getValueIteratedTo(), histogram.getMaxValue()) / NANOSECONDS;
                if (tail <= points.getLast().tail()) {
                    // Beyond the last sample but one there is only the largest.
                    points.removeLast();
                }
                points.add(new Point(tail, value));
            }
        }
        return new PercentileCurve(samples, true, points);
    }

    /**
     * Creates a curve from the columns of C's tools.
     *
     * @param figures under their keys
     * @param samples the number of times
     */
    static PercentileCurve ofC(Map<String, Double> figures, long samples) {
        return ofFigures(figures, Map.of(), samples);
    }

    /**
     * Creates a curve from single percentiles.
     *
     * @param figures under the keys of C's tools
     * @param percentiles by their percents
     * @param samples the number of times
     */
    static PercentileCurve ofFigures(Map<String, Double> figures, Map<Double, Double> percentiles, long samples) {
        TreeMap<Double, Double> byTail = new TreeMap<>();
        percentiles.forEach((percent, value) -> byTail.put(tail(percent, samples), value));
        PERCENTS.forEach((key, percent) -> {
            if (figures.containsKey(key)) {
                byTail.putIfAbsent(tail(percent, samples), figures.get(key));
            }
        });
        if (figures.containsKey("t_min")) {
            byTail.put(1.0, figures.get("t_min"));
        }
        if (figures.containsKey("t_max") && samples > 1) {
            byTail.put((double) samples, figures.get("t_max"));
        }
        return new PercentileCurve(
                samples,
                false,
                byTail.entrySet().stream()
                        .map(entry -> new Point(entry.getKey(), entry.getValue()))
                        .toList());
    }

    /** Above the percentile of the largest sample there is nothing: a curve ends at the number of samples. */
    private static double tail(double percent, long samples) {
        double tail = percent >= ALL ? Double.POSITIVE_INFINITY : ALL / (ALL - percent);
        return Math.min(Math.round(tail * 1e6) / 1e6, Math.max(samples, 1));
    }
}
