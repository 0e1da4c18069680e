// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.SameFile;
import io.github.rdma4j.perftest.placement.CpuFrequency;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;

/** Which figures are reported, in which unit and to which files, and which limits they must meet. */
public final class FigureOptions {
    private static final Path DEFAULT_JSON_FILE = Path.of("perftest_out.json");

    private boolean gigabits;
    private boolean sortedTimes;
    private boolean unsortedTimes;
    private boolean cycles;
    private double cyclesPerMicrosecond;
    private boolean noPeak;
    private boolean both;
    private Output output;
    private Double leastBandwidth;
    private Double leastMessageRate;
    private boolean details;
    private Integer rounds;
    private boolean json;
    private Path jsonFile;
    private Path csvFile;
    private Path percentileFile;
    private Path logFile;

    void declare(OptionList options) {
        options.flag("--report_gbits")
                .onlyFor(ToolSet.BANDWIDTH)
                .ignoredElsewhere()
                .description("Report bandwidth in Gbit/sec (instead of MiB/sec).")
                .into(value -> gigabits = value);
        options.flag("-H", "--report-histogram")
                .onlyFor(ToolSet.LATENCY)
                .description("Print out all results (default print summary only).")
                .into(value -> sortedTimes = value);
        options.flag("-U", "--report-unsorted")
                .onlyFor(ToolSet.LATENCY)
                .description("(implies -H) print out unsorted results (default sorted).")
                .into(value -> unsortedTimes = value);
        options.flag("-C", "--report-cycles")
                .onlyFor(ToolSet.LATENCY)
                .description("Report times in CPU cycles: microseconds times the MHz of /proc/cpuinfo.")
                .into(value -> cycles = value);
        options.flag("-N", "--noPeak")
                .onlyFor(ToolSet.BANDWIDTH)
                .description("Cancel peak-bw calculation (default with peak up to iters=20000).")
                .into(value -> noPeak = value);
        options.flag("--report-both")
                .onlyFor(ToolSet.BANDWIDTH)
                .ignoredElsewhere()
                .description("Report RX & TX results separately on Bidirectional BW tests.")
                .into(value -> both = value);
        options.value(Output.class, "--output")
                .label("<units>")
                .converter(new Output.Converter())
                .description("Print only this number: bandwidth, message_rate or latency.")
                .into(value -> output = value);
        options.value(Double.class, "-w", "--limit_bw")
                .label("<value>")
                .onlyFor(ToolSet.BANDWIDTH)
                .ignoredElsewhere()
                .description("Set verifier limit for bandwidth: exit status 1 below it.")
                .into(value -> leastBandwidth = value);
        options.value(Double.class, "-y", "--limit_msgrate")
                .label("<value>")
                .onlyFor(ToolSet.BANDWIDTH)
                .ignoredElsewhere()
                .description("Set verifier limit for Msg Rate: exit status 1 below it.")
                .into(value -> leastMessageRate = value);
        options.flag("--details")
                .description("rdma4j: also print implementation, placement and warm-up above the table, and the"
                        + " percentiles of a latency below it.")
                .into(value -> details = value);
        options.number("--rounds")
                .label("<num>")
                .within(1, 100)
                .description("rdma4j: repeat the test this many times over one connection, and show how much the rounds"
                        + " differ (default 1).")
                .into(value -> rounds = value);
        options.flag("--out_json")
                .description("Save the report in a json file.")
                .into(value -> json = value);
        options.value(Path.class, "--out_json_file")
                .label("<file>")
                .description("Name of the json file, implies --out_json (default perftest_out.json).")
                .into(value -> jsonFile = value);
        options.value(Path.class, "--out_csv")
                .label("<file>")
                .description("rdma4j: save a row per size and round in a CSV file.")
                .into(value -> csvFile = value);
        options.value(Path.class, "--out_hgrm")
                .label("<file>")
                .onlyFor(ToolSet.LATENCY)
                .description("rdma4j: save the percentile distribution in HdrHistogram's format; with -a, one file"
                        + " per size.")
                .into(value -> percentileFile = value);
        options.value(Path.class, "--out_hlog")
                .label("<file>")
                .onlyFor(ToolSet.LATENCY)
                .description("rdma4j: save all histograms as an HdrHistogram log.")
                .into(value -> logFile = value);
    }

    /** Returns whether to report Gb/s instead of MiB/s. */
    public boolean gigabits() {
        return gigabits;
    }

    /** Returns cycles per microsecond if the table and the list of times are in cycles; 0 for microseconds. */
    public double cyclesPerMicrosecond() {
        return cyclesPerMicrosecond;
    }

    /** Returns whether every single time is listed, from the shortest to the longest. */
    public boolean sortedTimes() {
        return sortedTimes;
    }

    /** Returns whether to list every individual time, in the order of arrival. */
    public boolean unsortedTimes() {
        return unsortedTimes;
    }

    /** Returns whether every single time is listed in any order. */
    public boolean listsTimes() {
        return sortedTimes || unsortedTimes;
    }

    /** Returns whether to compute the peak of the bandwidth. */
    public boolean peak() {
        return !noPeak;
    }

    /** Returns whether a bidirectional run also reports each direction on its own. */
    public boolean both() {
        return both;
    }

    /** The only number to print; null for the whole report. */
    public Output output() {
        return output;
    }

    /** The least acceptable bandwidth, in the unit of the report; 0 for none. */
    public double leastBandwidth() {
        return leastBandwidth != null ? leastBandwidth : 0;
    }

    /** The least acceptable million messages per second; 0 for none. */
    public double leastMessageRate() {
        return leastMessageRate != null ? leastMessageRate : 0;
    }

    /** Returns whether to print details that the C tools do not print. */
    public boolean details() {
        return details;
    }

    /** Returns how often to run each size. */
    public int rounds() {
        return rounds != null ? rounds : 1;
    }

    /** Returns the file for the JSON report; null for none. */
    public Path jsonFile() {
        return jsonFile != null || json ? Objects.requireNonNullElse(jsonFile, DEFAULT_JSON_FILE) : null;
    }

    /** Returns the file for the comma-separated rows; null for none. */
    public Path csvFile() {
        return csvFile;
    }

    /** Returns the file for the percentile distribution; null for none. */
    public Path percentileFile() {
        return percentileFile;
    }

    /** Returns the file for the histograms; null for none. */
    public Path logFile() {
        return logFile;
    }

    /** As in the C tools, the frequency of the first CPU is the reported one. */
    private static String otherFrequency() {
        OptionalDouble other = CpuFrequency.conflicting();
        return other.isPresent()
                ? String.format(Locale.ROOT, " (of its first CPU; another one has %.0f)", other.getAsDouble())
                : "";
    }

    void check(Tool tool, WorkloadOptions workload, Adjustments adjustments) {
        IllegalParameterException.when(
                output != null && output.isForLatency() != tool.isLatency(),
                () -> "--output: " + tool.command() + " has no " + output.word() + "; allowed is "
                        + Output.words(tool.isLatency()));
        positive("-w/--limit_bw", leastBandwidth);
        positive("-y/--limit_msgrate", leastMessageRate);
        boolean timed = workload.durationSeconds() > 0;
        if (adjustments.when(
                        both && !workload.bidirectional(), "--report-both has no effect without -b/--bidirectional")
                || adjustments.when(
                        both && timed && (tool.verb() == Verb.SEND || workload.withImmediate()),
                        "--report-both has no effect with -D/--duration here: both directions are measured together")) {
            both = false;
        }
        IllegalParameterException.when(
                listsTimes() && workload.rate() > 0,
                "-H/-U list the times of a closed loop; with --rate use --out_hgrm");
        if (adjustments.when(
                listsTimes() && timed,
                "-H/-U have no effect with -D/--duration, whose times are not kept: use --out_hgrm")) {
            sortedTimes = false;
            unsortedTimes = false;
        }
        if (cycles && !adjustments.when(timed, "-C/--report-cycles has no effect with -D/--duration, as in C")) {
            cyclesPerMicrosecond = CpuFrequency.megahertz()
                    .orElseThrow(() -> new IllegalParameterException(
                            "-C/--report-cycles: /proc/cpuinfo has no frequency of this machine's CPUs, and the"
                                    + " counter that C reads (the timer's, on aarch64) no Java program reads; leave it"
                                    + " out, for times in usec"));
            adjustments.when(
                    true,
                    String.format(
                            Locale.ROOT,
                            "-C/--report-cycles: cycles are microseconds times the %.0f MHz of /proc/cpuinfo%s, where C"
                                    + " reads a counter; files and what stands below the table have usec",
                            cyclesPerMicrosecond,
                            otherFrequency()));
        }
        IllegalParameterException.when(
                rounds() > 1 && timed && (tool.isLatency() || tool.verb() == Verb.SEND || workload.bidirectional()),
                "--rounds: the two sides would end a round of -D/--duration at different messages; give -n/--iters");
        Map<String, Path> files = new HashMap<>();
        checkWritable("--out_json_file", jsonFile(), files);
        checkWritable("--out_csv", csvFile, files);
        checkWritable("--out_hgrm", percentileFile, files);
        checkWritable("--out_hlog", logFile, files);
    }

    private static void positive(String option, Double value) {
        IllegalParameterException.when(
                value != null && !(value >= 0 && value < Double.POSITIVE_INFINITY),
                option + ": " + value + " is out of range; allowed is 0 or more");
    }

    /** Runs before the test, so that an unwritable file costs no test, and one report never overwrites another. */
    private static void checkWritable(String option, Path file, Map<String, Path> others) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        boolean possible = Files.exists(file)
                ? !Files.isDirectory(file) && Files.isWritable(file)
                : folder != null && Files.isDirectory(folder) && Files.isWritable(folder);
        IllegalParameterException.when(!possible, option + ": " + file + " cannot be written");
        others.forEach((other, taken) -> IllegalParameterException.when(
                SameFile.are(file, taken),
                () -> option + ": " + file + " is also the file of " + other + "; give each its own"));
        others.put(option, file);
    }
}
