// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gds;

import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaUnavailableException;
import io.github.rdma4j.gpudirect.storage.StorageException;
import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.findings.KeptReport;
import io.github.rdma4j.perftest.result.RunState;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** The command {@code gpu gds_bw}: files and GPU memory. docs/gpudirect-storage.md is its manual. */
public final class GdsCommand {
    /** The name on the command line. */
    public static final String NAME = "gds_bw";

    /** The summary in the list of commands. */
    public static final String TITLE = "Measures files to GPU memory and back, by each method";

    private static final int OK = 0;

    private GdsCommand() {}

    /**
     * Runs the command.
     *
     * @param arguments after the command's name
     * @param out standard output
     * @param err standard error
     * @return the exit status: 0 for success; 1 if it failed; 2 for a wrong command line; 4 if the JSON document was
     *     not written
     */
    public static int run(List<String> arguments, PrintStream out, PrintStream err) {
        GdsOptions options = new GdsOptions();
        Complaints complaints = new Complaints(NAME, "rdma4j gpu " + NAME + " --help", err);
        OptionalInt answered = options.read(arguments, out, complaints);
        if (answered.isPresent()) {
            return answered.getAsInt();
        }
        KeptReport<GdsReport> kept = new KeptReport<>(report -> options.json()
                .show(NAME, OK, page(report), stream -> GdsDocument.of(report).write(stream), out, err));
        try {
            GdsReport report = GdsBandwidth.run(options, kept);
            int status = kept.complete(report, Complaints.FAILED);
            return report.failure() == null
                    ? status
                    : complaints.failed(
                            report.failure(),
                            "fix what the page reports for each method, or choose other methods with --methods");
        } catch (PerftestException failure) {
            return failed(kept, complaints, failure.getMessage(), failure.remedy());
        } catch (IllegalArgumentException | StorageException | CudaException | CudaUnavailableException failure) {
            return failed(kept, complaints, failure.getMessage(), "");
        } catch (UncheckedIOException failure) {
            return failed(
                    kept,
                    complaints,
                    "the file cannot be read or written: " + failure.getCause().getMessage(),
                    "");
        }
    }

    private static int failed(KeptReport<GdsReport> kept, Complaints complaints, String message, String remedy) {
        int status = complaints.failed(message, remedy);
        kept.broken(report -> report.ended(RunState.FAILED, message));
        return status;
    }

    private static String page(GdsReport report) {
        StringBuilder page = new StringBuilder();
        page.append("%s, %d bytes, on %s; %s%n"
                .formatted(report.file(), report.fileSize(), report.fileSystem(), report.gpu()));
        report.decisions().forEach((method, decision) -> page.append("  %-7s %s%n".formatted(method.word(), decision)));
        page.append("%n  %-7s %-5s %10s %7s %12s %12s %12s  %s%n"
                .formatted("method", "", "bytes", "threads", "MiB/s", "least", "most", "compared"));
        for (GdsResult each : report.results()) {
            page.append(String.format(
                    Locale.ROOT,
                    "  %-7s %-5s %10d %7d %12.1f %12.1f %12.1f  all right%n",
                    each.method().word(),
                    each.write() ? "write" : "read",
                    each.size(),
                    each.threads(),
                    each.spread().median(),
                    each.spread().minimum(),
                    each.spread().maximum()));
        }
        if (report.failure() != null) {
            page.append("%nbroken off: %s%n".formatted(report.failure()));
        }
        return page.toString();
    }
}
