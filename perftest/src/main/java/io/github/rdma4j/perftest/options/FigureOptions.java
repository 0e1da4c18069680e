// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import picocli.CommandLine.Option;

/** Which figures are reported, in which unit, into which files, and which of them are good enough. */
public final class FigureOptions {
    private static final Path DEFAULT_JSON_FILE = Path.of("perftest_out.json");

    @Option(names = "--report_gbits", description = "Report bandwidth in Gbit/sec (instead of MiB/sec).")
    @OnlyFor(ToolSet.BANDWIDTH)
    private boolean gigabits;

    @Option(
            names = "--rounds",
            paramLabel = "<num>",
            description = "rdma4j: run so often over one connection, and show how far the rounds differ (default 1).")
    @Within(least = 1, most = 100)
    private Integer rounds;

    @Option(names = "--out_json", description = "Save the report in a json file.")
    private boolean json;

    @Option(
            names = "--out_json_file",
            paramLabel = "<file>",
            description = "Name of the json file, implies --out_json (default perftest_out.json).")
    private Path jsonFile;

    /** Whether to report Gb/s instead of MiB/s. */
    public boolean gigabits() {
        return gigabits;
    }

    /** How often each size is run. */
    public int rounds() {
        return rounds != null ? rounds : 1;
    }

    /** Where the JSON report goes; null when none is wanted. */
    public Path jsonFile() {
        return jsonFile != null || json ? Objects.requireNonNullElse(jsonFile, DEFAULT_JSON_FILE) : null;
    }

    void check(Tool tool, WorkloadOptions workload) {
        boolean timed = workload.durationSeconds() > 0;
        IllegalParameterException.when(
                rounds() > 1 && timed && (tool.isLatency() || workload.bidirectional()),
                "--rounds: the two sides would end a round of -D/--duration at different messages; give -n/--iters");
        checkWritable("--out_json_file", jsonFile());
    }

    /** Before the test and not after it. */
    private static void checkWritable(String option, Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        boolean possible = Files.exists(file)
                ? Files.isRegularFile(file) && Files.isWritable(file)
                : folder != null && Files.isDirectory(folder) && Files.isWritable(folder);
        IllegalParameterException.when(!possible, option + ": " + file + " cannot be written");
    }
}
