// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.time.Duration;
import picocli.CommandLine.Option;

/** What is sent, how often or how long, and in which direction. */
public final class WorkloadOptions {
    static final long LEAST_SIZE = 1;

    /** A verbs message has at most 2 GiB. */
    static final long LARGEST_SIZE = 1L << 31;

    /** As in the C tools, which use it for endless runs only. */
    private static final int DEFAULT_DURATION = 5;

    private static final double LEAST_RATE = 0.001;
    private static final double LARGEST_RATE = 1e9;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "<size>",
            converter = Numbers.Bytes.class,
            description = "Size of message to exchange, in bytes or with K or M (default ${rdma4j.default.size}).")
    @Within(least = LEAST_SIZE, most = LARGEST_SIZE)
    @OnlyFor(ToolSet.SIZED)
    private Long size;

    @Option(
            names = {"-a", "--all"},
            description = "Run sizes from 2 till 2^23.")
    @OnlyFor(ToolSet.SIZED)
    private boolean allSizes;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "<iters>",
            description = "Number of exchanges, per queue pair (at least 5, default ${rdma4j.default.iterations}).")
    @Within(least = 5, most = 100_000_000)
    private Integer iterations;

    @Option(
            names = {"-D", "--duration"},
            paramLabel = "<seconds>",
            description = "Run test for this time, not for a number of messages.")
    @Within(least = 1, most = 1_000_000)
    private Integer duration;

    @Option(
            names = {"-f", "--margin"},
            paramLabel = "<seconds>",
            description = "With -D, do not measure this time at both ends (default a quarter of the duration).")
    @Within(least = 0, most = 1_000_000)
    private Integer margin;

    @Option(
            names = {"-b", "--bidirectional"},
            description = "Measure bidirectional bandwidth (default unidirectional).")
    @OnlyFor(ToolSet.BANDWIDTH)
    private boolean bidirectional;

    @Option(
            names = "--rate",
            paramLabel = "<messages>",
            description = "rdma4j: open loop: send so many messages per second, whatever the answers take, and count"
                    + " latency from when each was due (client only; default: a closed loop).")
    @OnlyFor(ToolSet.LATENCY)
    private Double rate;

    @Option(
            names = {"-A", "--atomic_type"},
            paramLabel = "<type>",
            description = "Atomic operation: ${COMPLETION-CANDIDATES} (default FETCH_AND_ADD).")
    @OnlyFor(ToolSet.ATOMIC)
    private AtomicOperation atomicOperation = AtomicOperation.FETCH_AND_ADD;

    @Option(
            names = "--write_with_imm",
            description =
                    "Write with a number that completes a receive of the peer (the peer's C tool: 24.01 or later).")
    @OnlyFor({ToolSet.BANDWIDTH, ToolSet.WRITE})
    private boolean withImmediate;

    @Option(names = "--reversed", description = "Reverse traffic direction: the server sends to the client.")
    @OnlyFor(ToolSet.ONE_SIDED)
    private boolean reversed;

    @Option(
            names = "--perform_warm_up",
            description = "Send messages to the peer before each measured run, as many as the transmit depth.")
    @OnlyFor(
            value = {ToolSet.BANDWIDTH, ToolSet.ONE_SIDED},
            ignoredElsewhere = true)
    private boolean messagesBefore;

    @Option(
            names = "--run_infinitely",
            description = "Run for ever, and print results every <duration> seconds (-D, default 5).")
    @OnlyFor({ToolSet.BANDWIDTH, ToolSet.ONE_SIDED})
    private boolean endless;

    @Option(names = "--no-warm-up", description = "rdma4j: measure at once, code that is not compiled yet.")
    private boolean noWarmUp;

    /** Message size in bytes; with all sizes, the largest. */
    long size(Tool tool) {
        return allSizes ? TestParameters.LARGEST_OF_ALL : size != null ? size : tool.defaultSize();
    }

    /** Whether a size was asked for. */
    boolean hasSize() {
        return size != null;
    }

    /** Whether to run 2, 4, … 2^23 bytes. */
    public boolean allSizes() {
        return allSizes;
    }

    /** Messages per queue pair and size. */
    int iterations(Tool tool) {
        return iterations != null ? iterations : tool.defaultIterations();
    }

    /** Run for so long instead of a number of messages; 0 when not. */
    public int durationSeconds() {
        return duration != null ? duration : endless ? DEFAULT_DURATION : 0;
    }

    /**
     * Part at both ends of a timed run that is not measured: a quarter, as in the C tools, but not rounded down to
     * whole seconds.
     */
    public Duration margin() {
        if (endless) {
            return Duration.ZERO;
        }
        return margin != null
                ? Duration.ofSeconds(margin)
                : Duration.ofSeconds(durationSeconds()).dividedBy(4);
    }

    /** Whether both sides send. */
    public boolean bidirectional() {
        return bidirectional;
    }

    /** Messages per second of an open loop; 0 for a closed one. */
    public double rate() {
        return rate != null ? rate : 0;
    }

    /** Whether a write completes a receive of the peer. */
    public boolean withImmediate() {
        return withImmediate;
    }

    /** Whether the server sends to the client. */
    boolean reversed() {
        return reversed;
    }

    /** Whether messages are sent to the peer before each measured run. */
    public boolean messagesBefore() {
        return messagesBefore;
    }

    /** Whether to run, and to report, again and again until somebody ends it. */
    public boolean endless() {
        return endless;
    }

    /** What an atomic tool does. */
    public AtomicOperation atomicOperation() {
        return atomicOperation;
    }

    /** Whether the measured code is compiled by runs on a local pair first. */
    public boolean warmUp() {
        return !noWarmUp;
    }

    void check(boolean server, Adjustments adjustments) {
        IllegalParameterException.when(
                rate != null && !(rate >= LEAST_RATE && rate <= LARGEST_RATE),
                "--rate: " + rate + " is out of range; allowed is 0.001 to 1000000000 messages per second");
        IllegalParameterException.when(
                rate != null && server, "--rate is for the client, which sets the pace; the server only answers");
        IllegalParameterException.when(endless && allSizes, "--run_infinitely runs one size: leave out -a/--all");
        if (adjustments.when(
                iterations != null && durationSeconds() > 0,
                "-n/--iters has no effect with " + (endless ? "--run_infinitely" : "-D/--duration"))) {
            iterations = null;
        }
        if (adjustments.when(
                endless && margin != null,
                "-f/--margin has no effect with --run_infinitely, which measures all the time")) {
            margin = null;
        }
        IllegalParameterException.when(
                withImmediate && (endless || messagesBefore),
                "--write_with_imm needs a receive for each message, so not --run_infinitely and not --perform_warm_up");
        IllegalParameterException.when(
                endless && bidirectional,
                "--run_infinitely and -b/--bidirectional exclude each other: the C tools report this side's rate"
                        + " twice, not the other side's");
        if (adjustments.when(
                allSizes && size != null, "-s/--size has no effect with -a/--all, which runs sizes of its own")) {
            size = null;
        }
        IllegalParameterException.when(duration != null && allSizes, "-D/--duration runs one size: leave out -a/--all");
        if (adjustments.when(margin != null && duration == null, "-f/--margin has no effect without -D/--duration")) {
            margin = null;
        }
        IllegalParameterException.when(
                duration != null && margin().multipliedBy(2).compareTo(Duration.ofSeconds(duration)) >= 0,
                "-f/--margin: " + margin + " s at both ends leave nothing of -D/--duration " + duration
                        + " s to measure");
    }
}
