// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.perftest.run.IllegalParameterException;
import io.github.rdma4j.perftest.run.Range;
import io.github.rdma4j.perftest.run.TestParameters;
import io.github.rdma4j.perftest.run.TestParametersBuilder;
import io.github.rdma4j.perftest.run.Tool;
import java.nio.file.Path;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command line of a tool: the C tools' option names, handed to the parameters as they are read. */
@Command
final class ToolOptions {
    private static final Path DEFAULT_JSON_FILE = Path.of("perftest_out.json");

    private final TestParametersBuilder builder;
    private boolean json;
    private Path jsonFile;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            description = "Show this help screen.")
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            description = "Display version number.")
    private boolean version;

    @Option(
            names = {"-F", "--CPU-freq"},
            description =
                    "Accepted for the C tools' sake: times here come from the monotonic clock, not from CPU cycles.")
    private boolean ignoreCpuFrequency;

    ToolOptions(Tool tool) {
        builder = new TestParametersBuilder(tool);
    }

    @Parameters(
            arity = "0..1",
            paramLabel = "<host>",
            hidden = true,
            description = "Name or address of the server; without it, be the server.")
    private void server(String host) {
        builder.server(host);
    }

    @Option(
            names = {"-a", "--all"},
            description = "Run sizes from 2 till 2^23.")
    private void allSizes(boolean value) {
        builder.allSizes(value);
    }

    @Option(
            names = {"-b", "--bidirectional"},
            description = "Measure bidirectional bandwidth (default unidirectional).")
    private void bidirectional(boolean value) {
        builder.bidirectional(value);
    }

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "<dev>",
            description = "Use RDMA device <dev> (default first device found).")
    private void device(String name) {
        builder.device(name);
    }

    @Option(
            names = {"-D", "--duration"},
            paramLabel = "<seconds>",
            description = "Run test for this time, not for a number of messages.")
    private void duration(String text) {
        set(() -> builder.durationSeconds((int) Range.DURATION.parse(text)));
    }

    @Option(
            names = {"-f", "--margin"},
            paramLabel = "<seconds>",
            description = "With -D, do not measure this time at both ends (default a quarter of the duration).")
    private void margin(String text) {
        set(() -> builder.marginSeconds((int) Range.MARGIN.parse(text)));
    }

    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "<port>",
            description = "Use port <port> of the device (default 1).")
    private void devicePort(String text) {
        set(() -> builder.devicePort((int) Range.DEVICE_PORT.parse(text)));
    }

    @Option(
            names = {"-I", "--inline_size"},
            paramLabel = "<size>",
            description = "Send messages up to this size inline.")
    private void inlineSize(String text) {
        set(() -> builder.inlineSize((int) Range.INLINE_SIZE.parse(text)));
    }

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "<mtu>",
            description = "MTU size: 256 - 4096 (default port mtu).")
    private void mtu(String text) {
        set(() -> builder.mtu((int) Range.MTU.parse(text)));
    }

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "<iters>",
            description = "Number of exchanges, per queue pair (at least 5, default ${rdma4j.default.iterations}).")
    private void iterations(String text) {
        set(() -> builder.iterations((int) Range.ITERATIONS.parse(text)));
    }

    @Option(
            names = {"-p", "--port"},
            paramLabel = "<port>",
            description = "Listen on/connect to TCP port <port> (default 18515).")
    private void port(String text) {
        set(() -> builder.port((int) Range.PORT.parse(text)));
    }

    @Option(
            names = {"-q", "--qp"},
            paramLabel = "<num>",
            description = "Number of queue pairs (default 1).")
    private void queuePairs(String text) {
        set(() -> builder.queuePairs((int) Range.QUEUE_PAIRS.parse(text)));
    }

    @Option(
            names = {"-Q", "--cq-mod"},
            paramLabel = "<num>",
            description = "One completion for this many messages (default 100; 1 above 8 KiB, unless -a).")
    private void completionModeration(String text) {
        set(() -> builder.completionModeration((int) Range.COMPLETION_MODERATION.parse(text)));
    }

    @Option(
            names = {"-s", "--size"},
            paramLabel = "<size>",
            description = "Size of message to exchange, in bytes or with K or M (default ${rdma4j.default.size}).")
    private void size(String text) {
        set(() -> builder.size(Range.SIZE.parse(text)));
    }

    @Option(
            names = {"-S", "--sl"},
            paramLabel = "<sl>",
            description = "Service level (default 0).")
    private void serviceLevel(String text) {
        set(() -> builder.serviceLevel((int) Range.SERVICE_LEVEL.parse(text)));
    }

    @Option(
            names = {"-t", "--tx-depth"},
            paramLabel = "<dep>",
            description = "Size of tx queue (default ${rdma4j.default.depth}).")
    private void transmitDepth(String text) {
        set(() -> builder.transmitDepth((int) Range.TRANSMIT_DEPTH.parse(text)));
    }

    @Option(
            names = {"-u", "--qp-timeout"},
            paramLabel = "<timeout>",
            description = "QP timeout, 4.096 usec * 2^timeout (default 14).")
    private void queuePairTimeout(String text) {
        set(() -> builder.queuePairTimeout((int) Range.QUEUE_PAIR_TIMEOUT.parse(text)));
    }

    @Option(
            names = {"-x", "--gid-index"},
            paramLabel = "<index>",
            description = "Use the GID of this index (default: InfiniBand none, Ethernet the best RoCE v2 one).")
    private void gidIndex(String text) {
        set(() -> builder.gidIndex((int) Range.GID_INDEX.parse(text)));
    }

    @Option(names = "--report_gbits", description = "Report bandwidth in Gbit/sec (instead of MiB/sec).")
    private void gigabits(boolean value) {
        builder.gigabits(value);
    }

    @Option(names = "--out_json", description = "Save the report in a json file.")
    private void json(boolean value) {
        json = value;
    }

    @Option(
            names = "--out_json_file",
            paramLabel = "<file>",
            description = "Name of the json file, implies --out_json (default perftest_out.json).")
    private void jsonFile(Path file) {
        jsonFile = file;
    }

    @Option(
            names = "--timeout",
            paramLabel = "<seconds>",
            description =
                    "rdma4j: longest wait for the peer at each step (default 30; a server waits for its client without limit).")
    private void timeout(String text) {
        set(() -> builder.timeoutSeconds((int) Range.TIMEOUT.parse(text)));
    }

    @Option(
            names = "--run-timeout",
            paramLabel = "<seconds>",
            description = "rdma4j: longest wait of a passive side for a run (default 3600; 0 for no limit).")
    private void runTimeout(String text) {
        set(() -> builder.runTimeoutSeconds((int) Range.RUN_TIMEOUT.parse(text)));
    }

    @Option(names = "--no-warm-up", description = "rdma4j: measure at once, code that is not compiled yet.")
    private void noWarmUp(boolean value) {
        builder.warmUp(!value);
    }

    private void set(Runnable setter) {
        try {
            setter.run();
        } catch (IllegalParameterException failure) {
            throw new ParameterException(spec.commandLine(), failure.getMessage(), failure);
        }
    }

    boolean wantsHelp() {
        return help;
    }

    boolean wantsVersion() {
        return version;
    }

    /** The checked parameters. */
    TestParameters parameters() {
        return builder.build();
    }

    /** Where the JSON report goes; null when none is wanted. */
    Path jsonFile() {
        return jsonFile != null || json ? Objects.requireNonNullElse(jsonFile, DEFAULT_JSON_FILE) : null;
    }
}
