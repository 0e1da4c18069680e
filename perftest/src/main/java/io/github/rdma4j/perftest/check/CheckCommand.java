// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.check;

import io.github.rdma4j.gpudirect.check.CheckReport;
import io.github.rdma4j.gpudirect.check.CheckSources;
import io.github.rdma4j.gpudirect.check.GpuDirectCheck;
import io.github.rdma4j.perftest.exit.Complaints;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * The command {@code gpudirect-check}: what holds of GPUDirect RDMA on a machine. docs/gpudirect-check.md is its
 * manual.
 */
public final class CheckCommand {
    /** The name on the command line. */
    public static final String NAME = "gpudirect-check";

    /** What it does, in a line. */
    public static final String TITLE = "What of GPUDirect RDMA holds here, and the remedy for what does not";

    private static final int DIRECT = 0;
    private static final int STAGED = 1;
    private static final int NOTHING = 3;

    private final CheckOptions options = new CheckOptions();
    private final CheckSources sources;
    private final PrintStream out;
    private final PrintStream err;
    private final Complaints complaints;

    private CheckCommand(CheckSources sources, PrintStream out, PrintStream err) {
        this.sources = sources;
        this.out = out;
        this.err = err;
        complaints = new Complaints(NAME, "rdma4j " + NAME + " --help", err);
    }

    /**
     * Runs the command.
     *
     * @param arguments after the command's name
     * @param out standard output
     * @param err standard error
     * @return the exit status: 0 at least one pair has a direct path; 1 staged transfers only; 2 the command line makes
     *     no sense; 3 no pair of GPU and adapter can be used; 4 the JSON file could not be written
     */
    public static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return run(arguments, GpuDirectCheck.thisMachine(), out, err);
    }

    /** Runs the command for another machine than this one. */
    static int run(List<String> arguments, CheckSources sources, PrintStream out, PrintStream err) {
        return new CheckCommand(sources, out, err).run(arguments);
    }

    private int run(List<String> arguments) {
        OptionalInt answered = options.read(arguments, out, complaints);
        if (answered.isPresent()) {
            return answered.getAsInt();
        }
        List<String> gpus = new ArrayList<>();
        List<String> adapters = new ArrayList<>();
        CheckReport report = GpuDirectCheck.run(
                sources,
                gpu -> {
                    gpus.add(gpu.label().substring("GPU".length()) + " (" + gpu.address() + ")");
                    return options.accepts(gpu);
                },
                adapter -> {
                    adapters.add(adapter.name());
                    return options.accepts(adapter);
                });
        if (options.gpu().isPresent() && report.gpus().isEmpty()) {
            return complaints.usage("--gpu: there is no GPU " + options.gpu().get() + "; " + present(gpus));
        }
        if (options.device().isPresent() && report.adapters().isEmpty()) {
            return complaints.usage(
                    "--device: there is no RDMA device '" + options.device().get() + "'; " + present(adapters));
        }
        int status = status(report);
        return options.json()
                .show(
                        NAME,
                        status,
                        CheckPage.of(report, options.showsAllPairs()),
                        stream -> CheckJson.write(report, status, stream),
                        out,
                        err);
    }

    private static int status(CheckReport report) {
        return switch (report.outcome()) {
            case DIRECT -> DIRECT;
            case STAGED -> STAGED;
            case NOTHING -> NOTHING;
        };
    }

    private static String present(List<String> names) {
        return names.isEmpty() ? "there is none at all" : "present: " + String.join(", ", names);
    }
}
