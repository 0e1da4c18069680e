// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.options.FigureOptions;
import io.github.rdma4j.perftest.result.LatencyResult;
import io.github.rdma4j.perftest.result.PathLimit;
import io.github.rdma4j.perftest.result.RunOutcome;
import io.github.rdma4j.perftest.result.SizeResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Writes a test's figures to the requested files. */
final class ReportFiles {
    private interface Writer {
        void write(OutputStream out) throws IOException;
    }

    private static final long LOCK_NANOS = 5_000_000_000L;

    private ReportFiles() {}

    /**
     * Writes all files. A file that cannot be written does not prevent the others.
     *
     * @param limit the limit of the test's links; empty if unknown
     * @throws IOException when files cannot be written; the message names each of them
     */
    static void write(RunOutcome outcome, Optional<PathLimit> limit) throws IOException {
        FigureOptions figures = outcome.info().parameters().figures();
        List<String> failures = new ArrayList<>();
        boolean measured = !outcome.results().isEmpty();
        FileTime yields = FileTime.from(measured ? Instant.MAX : outcome.started());
        write(figures.jsonFile(), yields, failures, out -> JsonReport.write(outcome, limit, out));
        write(figures.csvFile(), yields, failures, out -> CsvReport.write(outcome, out));
        write(figures.logFile(), yields, failures, out -> writeLog(outcome, out));
        if (figures.percentileFile() != null) {
            boolean several = outcome.results().size() > 1;
            for (SizeResult result : outcome.results()) {
                Path file = several
                        ? HistogramFiles.ofSize(figures.percentileFile(), result.size())
                        : figures.percentileFile();
                write(file, yields, failures, out -> HistogramFiles.writePercentiles(result.latency(), out));
            }
        }
        if (!failures.isEmpty()) {
            throw new IOException(String.join("; ", failures));
        }
    }

    /** Returns whether any file is requested. */
    static boolean wanted(FigureOptions figures) {
        return figures.jsonFile() != null
                || figures.csvFile() != null
                || figures.logFile() != null
                || figures.percentileFile() != null;
    }

    private static void writeLog(RunOutcome outcome, OutputStream out) throws IOException {
        HistogramFiles.Log log = new HistogramFiles.Log(
                out,
                outcome.info().parameters().tool().command() + " on "
                        + outcome.info().device(),
                outcome.started().toEpochMilli());
        for (SizeResult result : outcome.results()) {
            List<LatencyFigures> rounds =
                    result instanceof LatencyResult counted ? counted.rounds() : List.of(result.latency());
            for (int i = 0; i < rounds.size(); i++) {
                String tag = result.size() + "B" + (rounds.size() > 1 ? "-round" + (i + 1) : "");
                log.add(tag, rounds.get(i));
            }
        }
        log.flush();
    }

    /**
     * Writes a file, which keeps its content if the report cannot be created.
     *
     * @param yields a file that was changed later than this is left as it is
     */
    private static void write(Path file, FileTime yields, List<String> failures, Writer writer) {
        if (file == null) {
            return;
        }
        try {
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            writer.write(whole);
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                Files.write(file, whole.toByteArray());
            } else {
                writeLocked(file, yields, whole.toByteArray());
            }
        } catch (IOException failure) {
            failures.add("the report could not be written to " + file + ": " + failure.getMessage());
        }
    }

    /**
     * Writes a file under its lock, because both sides of a test on one machine or in one home directory may name the
     * same one: the file of the last side that has measured must remain, and not a mixture. A side of C's tools that
     * only serves writes none.
     */
    private static synchronized void writeLocked(Path file, FileTime yields, byte[] whole) throws IOException {
        // Not a FileChannel, which an interrupt closes; and truncated only after the file is locked.
        try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
            lock(opened.getChannel());
            if (opened.length() == 0 || Files.getLastModifiedTime(file).compareTo(yields) <= 0) {
                opened.setLength(0);
                opened.write(whole);
            }
        }
    }

    /** Locks the file until the channel is closed. If the file system has no locks, the file is written without one. */
    private static void lock(FileChannel channel) {
        long end = System.nanoTime() + LOCK_NANOS;
        try {
            while (channel.tryLock() == null && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(1_000_000);
            }
        } catch (IOException _) {
            // A file system without locks.
        }
    }
}
