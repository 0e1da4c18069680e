// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import picocli.CommandLine.Option;

/** Which figures are reported, in which unit, into which files, and which of them are good enough. */
public final class FigureOptions {
    private static final Path DEFAULT_JSON_FILE = Path.of("perftest_out.json");

    @Option(names = "--report_gbits", description = "Report bandwidth in Gbit/sec (instead of MiB/sec).")
    @OnlyFor(value = ToolSet.BANDWIDTH, ignoredElsewhere = true)
    private boolean gigabits;

    @Option(
            names = {"-H", "--report-histogram"},
            description = "Print out all results (default print summary only).")
    @OnlyFor(ToolSet.LATENCY)
    private boolean sortedTimes;

    @Option(
            names = {"-U", "--report-unsorted"},
            description = "(implies -H) print out unsorted results (default sorted).")
    @OnlyFor(ToolSet.LATENCY)
    private boolean unsortedTimes;

    @Option(
            names = {"-N", "--noPeak"},
            description = "Cancel peak-bw calculation (default with peak up to iters=20000).")
    @OnlyFor(ToolSet.BANDWIDTH)
    private boolean noPeak;

    @Option(names = "--report-both", description = "Report RX & TX results separately on Bidirectional BW tests.")
    @OnlyFor(value = ToolSet.BANDWIDTH, ignoredElsewhere = true)
    private boolean both;

    @Option(
            names = "--output",
            paramLabel = "<units>",
            converter = Output.Converter.class,
            description = "Set verbosity output level: bandwidth, message_rate, latency: print this one number only.")
    private Output output;

    @Option(
            names = {"-w", "--limit_bw"},
            paramLabel = "<value>",
            description = "Set verifier limit for bandwidth: exit status 1 below it.")
    @OnlyFor(value = ToolSet.BANDWIDTH, ignoredElsewhere = true)
    private Double leastBandwidth;

    @Option(
            names = {"-y", "--limit_msgrate"},
            paramLabel = "<value>",
            description = "Set verifier limit for Msg Rate: exit status 1 below it.")
    @OnlyFor(value = ToolSet.BANDWIDTH, ignoredElsewhere = true)
    private Double leastMessageRate;

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

    @Option(
            names = "--out_csv",
            paramLabel = "<file>",
            description = "rdma4j: save a row per size and round in a comma-separated file.")
    private Path csvFile;

    @Option(
            names = "--out_hgrm",
            paramLabel = "<file>",
            description = "rdma4j: save the percentile distribution as HdrHistogram does; with -a, a file per size.")
    @OnlyFor(ToolSet.LATENCY)
    private Path percentileFile;

    @Option(
            names = "--out_hlog",
            paramLabel = "<file>",
            description = "rdma4j: save all histograms as an HdrHistogram log.")
    @OnlyFor(ToolSet.LATENCY)
    private Path logFile;

    /** Whether to report Gb/s instead of MiB/s. */
    public boolean gigabits() {
        return gigabits;
    }

    /** Whether every single time is listed, from the shortest to the longest. */
    public boolean sortedTimes() {
        return sortedTimes;
    }

    /** Whether every single time is listed, as they came. */
    public boolean unsortedTimes() {
        return unsortedTimes;
    }

    /** Whether every single time is listed in any order. */
    public boolean listsTimes() {
        return sortedTimes || unsortedTimes;
    }

    /** Whether the peak of the bandwidth is looked for. */
    public boolean peak() {
        return !noPeak;
    }

    /** Whether both directions of a bidirectional run are reported one by one, too. */
    public boolean both() {
        return both;
    }

    /** The only number to print; null for the whole report. */
    public Output output() {
        return output;
    }

    /** The least bandwidth that is good enough, in the unit of the report; 0 for none. */
    public double leastBandwidth() {
        return leastBandwidth != null ? leastBandwidth : 0;
    }

    /** The least million messages per second that are good enough; 0 for none. */
    public double leastMessageRate() {
        return leastMessageRate != null ? leastMessageRate : 0;
    }

    /** How often each size is run. */
    public int rounds() {
        return rounds != null ? rounds : 1;
    }

    /** Where the JSON report goes; null when none is wanted. */
    public Path jsonFile() {
        return jsonFile != null || json ? Objects.requireNonNullElse(jsonFile, DEFAULT_JSON_FILE) : null;
    }

    /** Where the comma-separated rows go; null when none are wanted. */
    public Path csvFile() {
        return csvFile;
    }

    /** Where the percentile distribution goes; null when none is wanted. */
    public Path percentileFile() {
        return percentileFile;
    }

    /** Where the histograms go; null when none are wanted. */
    public Path logFile() {
        return logFile;
    }

    void check(Tool tool, WorkloadOptions workload, Adjustments adjustments) {
        IllegalParameterException.when(
                output != null && output.isForLatency() != tool.isLatency(),
                () -> "--output: " + tool.command() + " has no " + output.word() + "; allowed is "
                        + Output.words(tool.isLatency()));
        positive("-w/--limit_bw", leastBandwidth);
        positive("-y/--limit_msgrate", leastMessageRate);
        if (adjustments.when(
                both && !workload.bidirectional(), "--report-both has no effect without -b/--bidirectional")) {
            both = false;
        }
        boolean timed = workload.durationSeconds() > 0;
        IllegalParameterException.when(
                listsTimes() && workload.rate() > 0,
                "-H/-U list the times of a closed loop; with --rate use --out_hgrm");
        if (adjustments.when(
                listsTimes() && timed,
                "-H/-U have no effect with -D/--duration, whose times are not kept: use --out_hgrm")) {
            sortedTimes = false;
            unsortedTimes = false;
        }
        IllegalParameterException.when(
                rounds() > 1 && timed && (tool.isLatency() || tool.verb() == Verb.SEND || workload.bidirectional()),
                "--rounds: the two sides would end a round of -D/--duration at different messages; give -n/--iters");
        checkWritable("--out_json_file", jsonFile());
        checkWritable("--out_csv", csvFile);
        checkWritable("--out_hgrm", percentileFile);
        checkWritable("--out_hlog", logFile);
    }

    private static void positive(String option, Double value) {
        IllegalParameterException.when(
                value != null && !(value >= 0 && value < Double.POSITIVE_INFINITY),
                option + ": " + value + " is out of range; allowed is 0 or more");
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
