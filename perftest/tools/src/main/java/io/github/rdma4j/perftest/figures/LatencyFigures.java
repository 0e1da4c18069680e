// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.figures;

import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The latencies of a run, all of them, in microseconds.
 *
 * @param samples how many, at least 1
 * @param minimum the shortest, exact
 * @param maximum the longest, exact
 * @param mean the arithmetic mean, exact
 * @param deviation the standard deviation (of the population), exact
 * @param histogram all latencies in nanoseconds, accurate to 0.1 %; do not modify it
 */
public record LatencyFigures(
        long samples, double minimum, double maximum, double mean, double deviation, Histogram histogram) {
    /** The percentiles that are reported. */
    public static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9, 99.99, 99.999);

    /** A percentile is meaningful if at least this many samples lie beyond it. */
    public static final int ENOUGH_BEYOND = 10;

    /**
     * Returns the time that this percentage of the samples does not exceed, accurate to 0.1 %.
     *
     * @param percent 0 to 100
     */
    public double percentile(double percent) {
        if (beyond(percent) == 0) {
            return maximum;
        }
        // A bucket is named by its upper end. Its middle has half the error, in either direction. The middle of the
        // first and of the last bucket may lie beyond all samples.
        long middle = histogram.medianEquivalentValue(histogram.getValueAtPercentile(percent));
        return Math.clamp(middle / 1000.0, minimum, maximum);
    }

    /** The median. */
    public double median() {
        return percentile(50);
    }

    /** Returns how many samples are above a percentile, which shows how reliable it is. */
    public long beyond(double percent) {
        // The next smaller number: 99.9 is not exactly representable, and its product with a count may come out a
        // little
        // above a whole number.
        return samples - (long) Math.ceil(Math.nextDown(percent) / 100 * samples);
    }

    /** Returns how many samples a percentile below 100 needs so that enough lie beyond it. */
    public static long samplesFor(double percent) {
        return Math.round(ENOUGH_BEYOND * 100 / (100 - percent));
    }

    /** A percentile as it is written: without trailing zeros. */
    public static String name(double percent) {
        return percent == Math.rint(percent) ? Long.toString((long) percent) : Double.toString(percent);
    }

    /**
     * The figures of several runs together.
     *
     * @param parts at least one
     */
    public static LatencyFigures together(List<LatencyFigures> parts) {
        if (parts.size() == 1) {
            return parts.getFirst();
        }
        long samples = 0;
        double sum = 0;
        double minimum = Double.POSITIVE_INFINITY;
        double maximum = 0;
        Histogram histogram = new Histogram(LatencySamples.SIGNIFICANT_DIGITS);
        for (LatencyFigures part : parts) {
            samples += part.samples;
            sum += part.mean * part.samples;
            minimum = Math.min(minimum, part.minimum);
            maximum = Math.max(maximum, part.maximum);
            histogram.add(part.histogram);
        }
        double mean = sum / samples;
        double squares = 0;
        for (LatencyFigures part : parts) {
            double distance = part.mean - mean;
            squares += part.samples * (part.deviation * part.deviation + distance * distance);
        }
        histogram.setStartTimeStamp(parts.getFirst().histogram.getStartTimeStamp());
        histogram.setEndTimeStamp(parts.getLast().histogram.getEndTimeStamp());
        return new LatencyFigures(samples, minimum, maximum, mean, Math.sqrt(squares / samples), histogram);
    }
}
