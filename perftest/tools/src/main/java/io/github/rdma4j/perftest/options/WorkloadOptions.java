// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.time.Duration;

/** The messages: content, number or duration, and direction. */
public final class WorkloadOptions {
    static final long LEAST_SIZE = 1;

    /** A verbs message has at most 2 GiB. */
    static final long LARGEST_SIZE = 1L << 31;

    /** The C tools' default, which they use for endless runs only. */
    private static final int DEFAULT_DURATION = 5;

    private static final double LEAST_RATE = 0.001;
    private static final double LARGEST_RATE = 1e9;

    private Long size;
    private boolean allSizes;
    private Integer iterations;
    private Integer duration;
    private Integer margin;
    private boolean bidirectional;
    private Double rate;
    private AtomicOperation atomicOperation;
    private boolean withImmediate;
    private boolean unsolicited;
    private boolean sendsImmediate;
    private Integer latencyGap;
    private boolean reversed;
    private boolean messagesBefore;
    private boolean endless;
    private boolean noWarmUp;

    void declare(OptionList options) {
        options.value(Long.class, "-s", "--size")
                .label("<size>")
                .converter(new Numbers.Bytes())
                .within(LEAST_SIZE, LARGEST_SIZE)
                .onlyFor(ToolSet.SIZED)
                .alwaysElsewhere((long) Long.BYTES)
                .description("Size of message to exchange, in bytes or with K or M (default "
                        + options.tool().defaultSize() + ").")
                .into(value -> size = value);
        options.flag("-a", "--all")
                .onlyFor(ToolSet.SIZED)
                .description("Run sizes from 2 till 2^23.")
                .into(value -> allSizes = value);
        options.number("-n", "--iters")
                .label("<iters>")
                .within(5, 2_000_000_000)
                .description("Number of exchanges, per queue pair (at least 5, default "
                        + options.tool().defaultIterations() + ").")
                .into(value -> iterations = value);
        options.number("-D", "--duration")
                .label("<seconds>")
                .within(1, 1_000_000)
                .description("Run test for this time, not for a number of messages.")
                .into(value -> duration = value);
        options.number("-f", "--margin")
                .label("<seconds>")
                .within(0, 1_000_000)
                .description("With -D, do not measure this time at both ends (default a quarter of the duration).")
                .into(value -> margin = value);
        options.flag("-b", "--bidirectional")
                .onlyFor(ToolSet.BANDWIDTH)
                .description("Measure bidirectional bandwidth (default unidirectional).")
                .into(value -> bidirectional = value);
        options.value(Double.class, "--rate")
                .label("<messages>")
                .onlyFor(ToolSet.LATENCY)
                .description("rdma4j: open loop: send this many messages per second, regardless of the answers, and"
                        + " measure latency from the time each message was due (client only; default: a closed loop).")
                .into(value -> rate = value);
        options.value(AtomicOperation.class, "-A", "--atomic_type")
                .label("<type>")
                .onlyFor(ToolSet.ATOMIC)
                .description("Atomic operation: ${COMPLETION-CANDIDATES} (default FETCH_AND_ADD).")
                .initially(AtomicOperation.FETCH_AND_ADD)
                .into(value -> atomicOperation = value);
        options.flag("--write_with_imm")
                .onlyFor(ToolSet.WRITE)
                .description("Write with immediate data, which completes a receive at the peer (a C peer: 24.01 or"
                        + " later).")
                .into(value -> withImmediate = value);
        options.flag("--unsolicited_write")
                .onlyFor(ToolSet.WRITE)
                .description(
                        "With --write_with_imm and -c SRD: the writes complete at the peer without a receive (on both"
                                + " sides).")
                .into(value -> unsolicited = value);
        options.flag("--send_with_imm")
                .onlyFor(ToolSet.SEND)
                .description("Send with immediate data, which the peer's completion reports (a C peer: 26.04).")
                .into(value -> sendsImmediate = value);
        options.number("--latency_gap")
                .label("<usec>")
                .within(0, Integer.MAX_VALUE)
                .onlyFor(ToolSet.LATENCY)
                .alwaysElsewhere(0)
                .description("Wait before each post; the measured time includes the wait, as in C (default 0).")
                .into(value -> latencyGap = value);
        options.flag("--reversed")
                .onlyFor(ToolSet.ONE_SIDED)
                .description("Reverse traffic direction: the server sends to the client.")
                .into(value -> reversed = value);
        options.flag("--perform_warm_up")
                .onlyFor(ToolSet.BANDWIDTH, ToolSet.ONE_SIDED)
                .ignoredElsewhere()
                .description("Send messages to the peer before each measured run, as many as the transmit depth.")
                .into(value -> messagesBefore = value);
        options.flag("--run_infinitely")
                .onlyFor(ToolSet.BANDWIDTH, ToolSet.ONE_SIDED)
                .description("Run forever, and print results every <duration> seconds (-D, default 5).")
                .into(value -> endless = value);
        options.flag("--no-warm-up")
                .description("rdma4j: skip the warm-up and measure code that is not compiled yet.")
                .into(value -> noWarmUp = value);
    }

    /** Message size in bytes; with all sizes, the largest. */
    long size(Tool tool) {
        return allSizes ? RunParameters.LARGEST_OF_ALL : size != null ? size : tool.defaultSize();
    }

    /** Returns whether a size was requested. */
    boolean hasSize() {
        return size != null;
    }

    /** Returns whether to run 2, 4, … 2^23 bytes. */
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

    /** Returns whether both sides send. */
    public boolean bidirectional() {
        return bidirectional;
    }

    /** Messages per second of an open loop; 0 for a closed one. */
    public double rate() {
        return rate != null ? rate : 0;
    }

    /** Returns whether a write completes a receive of the peer. */
    public boolean withImmediate() {
        return withImmediate;
    }

    /** Returns whether a write completes at the peer without a receive. */
    public boolean unsolicited() {
        return unsolicited;
    }

    /** Returns whether a message that is sent has immediate data. */
    public boolean sendsImmediate() {
        return sendsImmediate;
    }

    /** Returns the pause of a latency tool before each post. */
    public Duration latencyGap() {
        return Duration.ofNanos(1000L * (latencyGap != null ? latencyGap : 0));
    }

    /** Returns whether the server sends to the client. */
    boolean reversed() {
        return reversed;
    }

    /** Returns whether messages are sent to the peer before each measured run. */
    public boolean messagesBefore() {
        return messagesBefore;
    }

    /** Returns whether to run and report repeatedly until the user ends it. */
    public boolean endless() {
        return endless;
    }

    /** Returns the operation of an atomic tool. */
    public AtomicOperation atomicOperation() {
        return atomicOperation;
    }

    /** Returns whether the measured code is compiled by runs on a local pair first. */
    public boolean warmUp() {
        return !noWarmUp;
    }

    /** Refuses contradictions about the pace of a latency tool. */
    void checkPace(Duration patience, Adjustments adjustments) {
        IllegalParameterException.when(
                latencyGap != null && latencyGap > 0 && rate != null,
                "--latency_gap and --rate exclude each other: one waits after an answer, the other does not");
        checkPause("--latency_gap", latencyGap().toMillis() / 1e3, "messages", patience, "");
        checkPause("--rate", rate == null ? 0 : 1 / rate, "messages", patience, "");
        adjustments.when(
                latencyGap != null && latencyGap > 0,
                "--latency_gap: as in C the times count from one post to the next, so that the pause of " + latencyGap
                        + " usec is in them");
    }

    /** Refuses a pause that either side would take for a silent peer. */
    static void checkPause(String option, double seconds, String between, Duration patience, String others) {
        IllegalParameterException.when(
                seconds >= patience.toSeconds(),
                () -> option + ": " + Math.round(seconds) + " s between " + between + " are no less than the "
                        + patience.toSeconds() + " s after which a silent peer ends the test; give " + others
                        + "both sides a longer --timeout");
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
                "--write_with_imm completes at the peer for each message, so not --run_infinitely and not --perform_warm_up");
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
