// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import io.github.rdma4j.perftest.figures.LatencyFigures;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/** Writes histograms in the formats of HdrHistogram's own tools. */
final class HistogramFiles {
    /** Nanoseconds per microsecond, the unit of the columns. */
    private static final double MICROSECOND = 1000.0;

    /** Steps per halving of the distance to 100 %, as HdrHistogram's plotter expects. */
    private static final int TICKS = 5;

    private HistogramFiles() {}

    /** Returns the file for the percentiles of one of several sizes: FILE-SIZE.EXTENSION for FILE.EXTENSION. */
    static Path ofSize(Path file, long size) {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        int end = dot > 0 ? dot : name.length();
        return file.resolveSibling(name.substring(0, end) + "-" + size + name.substring(end));
    }

    /**
     * Writes a percentile distribution (.hgrm) in microseconds.
     *
     * @param out receives the text; it is flushed, not closed
     */
    static void writePercentiles(LatencyFigures figures, OutputStream out) throws IOException {
        PrintStream text = new PrintStream(out, false, StandardCharsets.UTF_8);
        figures.histogram().outputPercentileDistribution(text, TICKS, MICROSECOND);
        flush(text);
    }

    /** Writes an interval log: one line per histogram, with a tag for the size and the round. */
    static final class Log {
        private final PrintStream text;
        private final HistogramLogWriter writer;

        /**
         * Writes the head.
         *
         * @param out receives the text
         * @param comment a line for readers of the file
         * @param begin when the test began, milliseconds since 1970
         */
        Log(OutputStream out, String comment, long begin) {
            text = new PrintStream(out, false, StandardCharsets.UTF_8);
            writer = new HistogramLogWriter(text);
            writer.outputLogFormatVersion();
            writer.outputComment("[" + comment + "; values in nanoseconds, Interval_Max in microseconds]");
            writer.outputStartTime(begin);
            writer.setBaseTime(begin);
            writer.outputLegend();
        }

        /** Writes one line. */
        void add(String tag, LatencyFigures figures) {
            Histogram tagged = figures.histogram().copy();
            tagged.setTag(tag);
            writer.outputIntervalHistogram(
                    (tagged.getStartTimeStamp() - writer.getBaseTime()) / 1000.0,
                    (tagged.getEndTimeStamp() - writer.getBaseTime()) / 1000.0,
                    tagged,
                    MICROSECOND);
        }

        /** Flushes everything. */
        void flush() throws IOException {
            HistogramFiles.flush(text);
        }
    }

    /** A histogram as text: HdrHistogram's compressed form in base 64. */
    static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    /** Throws if writing has failed: a PrintStream does not throw. */
    private static void flush(PrintStream text) throws IOException {
        if (text.checkError()) {
            throw new IOException("writing failed");
        }
    }
}
