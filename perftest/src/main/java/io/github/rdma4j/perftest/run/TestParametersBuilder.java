// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import java.time.Duration;
import java.util.Objects;

/**
 * Collects the parameters of a test and applies the rules of the C tools to them: defaults, ranges and combinations.
 * Each setter checks its own range; {@link #build()} checks what depends on several.
 */
public final class TestParametersBuilder {
    private static final int DEFAULT_MODERATION = 100;

    /** Above it every message gets a completion unless -Q says otherwise: the rate would be rounded to whole groups. */
    private static final long MODERATION_SIZE_LIMIT = 8192;

    private final Tool tool;
    private String server;
    private int port = 18515;
    private String device;
    private int devicePort = 1;
    private Long size;
    private boolean allSizes;
    private Integer iterations;
    private Integer durationSeconds;
    private Integer marginSeconds;
    private int gidIndex = -1;
    private int mtu;
    private int queuePairs = 1;
    private Integer transmitDepth;
    private int inlineSize = -1;
    private int queuePairTimeout = 14;
    private int serviceLevel;
    private boolean bidirectional;
    private Integer completionModeration;
    private boolean gigabits;
    private Integer timeoutSeconds;
    private int runTimeoutSeconds = 3600;
    private boolean warmUp = true;

    /** The parameters of a tool, with its defaults. */
    public TestParametersBuilder(Tool tool) {
        this.tool = Objects.requireNonNull(tool);
    }

    /** Name or address of the server; null, the default, to be the server. */
    public TestParametersBuilder server(String host) {
        this.server = host;
        return this;
    }

    /** TCP port to listen on or to connect to. */
    public TestParametersBuilder port(int value) {
        this.port = (int) Range.PORT.check(value);
        return this;
    }

    /** Name of the device, such as mlx5_0; null, the default, for the first one. */
    public TestParametersBuilder device(String name) {
        this.device = name;
        return this;
    }

    /** Port of the device. */
    public TestParametersBuilder devicePort(int value) {
        this.devicePort = (int) Range.DEVICE_PORT.check(value);
        return this;
    }

    /** Message size in bytes. */
    public TestParametersBuilder size(long bytes) {
        this.size = Range.SIZE.check(bytes);
        return this;
    }

    /** Whether to run all sizes from 2 bytes to 2^23. */
    public TestParametersBuilder allSizes(boolean value) {
        this.allSizes = value;
        return this;
    }

    /** Messages per queue pair and size. */
    public TestParametersBuilder iterations(int value) {
        this.iterations = (int) Range.ITERATIONS.check(value);
        return this;
    }

    /** Run for so many seconds. */
    public TestParametersBuilder durationSeconds(int value) {
        this.durationSeconds = (int) Range.DURATION.check(value);
        return this;
    }

    /** Seconds at both ends of a timed run that are not measured. */
    public TestParametersBuilder marginSeconds(int value) {
        this.marginSeconds = (int) Range.MARGIN.check(value);
        return this;
    }

    /** Index into the GID table. */
    public TestParametersBuilder gidIndex(int value) {
        this.gidIndex = (int) Range.GID_INDEX.check(value);
        return this;
    }

    /** Path MTU in bytes. */
    public TestParametersBuilder mtu(int bytes) {
        Range.MTU.check(bytes);
        refuse(
                Integer.bitCount(bytes) != 1,
                "-m/--mtu: " + bytes + " is out of range; allowed is 256, 512, 1024, 2048 or 4096");
        this.mtu = bytes;
        return this;
    }

    /** Number of queue pairs; more than one only for bandwidth. */
    public TestParametersBuilder queuePairs(int value) {
        this.queuePairs = (int) Range.QUEUE_PAIRS.check(value);
        return this;
    }

    /** Most messages under way per queue pair. */
    public TestParametersBuilder transmitDepth(int value) {
        this.transmitDepth = (int) Range.TRANSMIT_DEPTH.check(value);
        return this;
    }

    /** Messages up to so many bytes are sent inline. */
    public TestParametersBuilder inlineSize(int bytes) {
        this.inlineSize = (int) Range.INLINE_SIZE.check(bytes);
        return this;
    }

    /** Local ACK timeout: 4.096 µs × 2^value. */
    public TestParametersBuilder queuePairTimeout(int value) {
        this.queuePairTimeout = (int) Range.QUEUE_PAIR_TIMEOUT.check(value);
        return this;
    }

    /** Service level. */
    public TestParametersBuilder serviceLevel(int value) {
        this.serviceLevel = (int) Range.SERVICE_LEVEL.check(value);
        return this;
    }

    /** Whether both sides write; only for bandwidth. */
    public TestParametersBuilder bidirectional(boolean value) {
        this.bidirectional = value;
        return this;
    }

    /** One completion for so many messages; only for bandwidth. */
    public TestParametersBuilder completionModeration(int value) {
        this.completionModeration = (int) Range.COMPLETION_MODERATION.check(value);
        return this;
    }

    /** Whether to report Gb/s instead of MiB/s. */
    public TestParametersBuilder gigabits(boolean value) {
        this.gigabits = value;
        return this;
    }

    /** Longest wait in seconds for the peer at each step; given, it also limits how long a server waits for its client. */
    public TestParametersBuilder timeoutSeconds(int value) {
        this.timeoutSeconds = (int) Range.TIMEOUT.check(value);
        return this;
    }

    /** Longest run in seconds of one size, as seen by a side that only waits; 0 for no limit. */
    public TestParametersBuilder runTimeoutSeconds(int value) {
        this.runTimeoutSeconds = (int) Range.RUN_TIMEOUT.check(value);
        return this;
    }

    /** Whether the measured code is compiled by runs on a local pair first. */
    public TestParametersBuilder warmUp(boolean value) {
        this.warmUp = value;
        return this;
    }

    /**
     * Checks the combination and fills in the defaults.
     *
     * @throws IllegalParameterException when it makes no sense
     */
    public TestParameters build() {
        checkCombination();
        long bytes = allSizes ? TestParameters.LARGEST_OF_ALL : size != null ? size : tool.defaultSize();
        int messages = iterations != null ? iterations : tool.defaultIterations();
        boolean timed = durationSeconds != null;
        int depth = transmitDepth != null ? transmitDepth : tool.defaultTransmitDepth();
        if (!timed) {
            depth = Math.min(depth, messages);
        }
        Duration timeout = Duration.ofSeconds(timeoutSeconds != null ? timeoutSeconds : 30);
        return new TestParameters(
                tool,
                server,
                port,
                device,
                devicePort,
                bytes,
                allSizes,
                messages,
                timed ? durationSeconds : 0,
                margin(),
                gidIndex,
                mtu,
                queuePairs,
                depth,
                inlineSize,
                queuePairTimeout,
                serviceLevel,
                bidirectional,
                Math.min(moderation(bytes), depth),
                gigabits,
                timeout,
                timeoutSeconds != null ? timeout : Duration.ZERO,
                timed ? Duration.ofSeconds(durationSeconds).plus(timeout) : Duration.ofSeconds(runTimeoutSeconds),
                warmUp);
    }

    private void checkCombination() {
        refuse(allSizes && size != null, "-a/--all runs sizes of its own: leave out -s/--size");
        refuse(durationSeconds != null && iterations != null, "-D/--duration and -n/--iters exclude each other");
        refuse(durationSeconds != null && allSizes, "-D/--duration runs one size: leave out -a/--all");
        refuse(marginSeconds != null && durationSeconds == null, "-f/--margin is for timed runs: give -D/--duration");
        if (tool.isLatency()) {
            refuse(
                    queuePairs > 1,
                    "-q/--qp: " + queuePairs + " is not allowed; " + tool.command()
                            + " uses 1 queue pair, several are for the bandwidth tools");
            refuse(bidirectional, "-b/--bidirectional is for the bandwidth tools");
            refuse(completionModeration != null, "-Q/--cq-mod is for the bandwidth tools");
            refuse(gigabits, "--report_gbits is for the bandwidth tools");
        }
        int depth = transmitDepth != null ? transmitDepth : tool.defaultTransmitDepth();
        refuse(
                completionModeration != null && completionModeration > depth,
                "-Q/--cq-mod: " + completionModeration + " is not allowed; 1 to " + depth
                        + ", the transmit depth (-t/--tx-depth), or no completion would ever come");
        refuse(
                durationSeconds != null && margin().multipliedBy(2).compareTo(Duration.ofSeconds(durationSeconds)) >= 0,
                "-f/--margin: " + marginSeconds + " s at both ends leave nothing of -D/--duration " + durationSeconds
                        + " s to measure");
    }

    /** A quarter of the duration at each end, as the C tools do, but not rounded down to whole seconds. */
    private Duration margin() {
        if (marginSeconds != null) {
            return Duration.ofSeconds(marginSeconds);
        }
        return durationSeconds != null ? Duration.ofSeconds(durationSeconds).dividedBy(4) : Duration.ZERO;
    }

    private int moderation(long bytes) {
        if (completionModeration != null) {
            return completionModeration;
        }
        return tool.isLatency() || bytes > MODERATION_SIZE_LIMIT && !allSizes ? 1 : DEFAULT_MODERATION;
    }

    private static void refuse(boolean condition, String message) {
        if (condition) {
            throw new IllegalParameterException(message);
        }
    }
}
