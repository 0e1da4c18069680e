// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.figures.MedianInterval;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.options.Within;
import io.github.rdma4j.perftest.talk.PeerAddress;
import io.github.rdma4j.perftest.talk.Protocol;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of the comparison. */
@Command(
        name = "rdma4j compare",
        description = "Runs Java's and C's tools by turns and compares them. Both ends run on this machine and the same"
                + " device; with --peer, the clients run here and the servers on the machine where --serve"
                + " runs.",
        footer = {"", "For the machine with the servers, see rdma4j compare --serve --help."},
        sortOptions = false,
        usageHelpAutoWidth = true)
public final class CompareOptions {
    /** The interval of the median then leaves out three rounds at either end, which may have been disturbed. */
    private static final int ROUNDS = 15;

    @Option(
            names = "--peer",
            paramLabel = "<host[:port]>",
            description = "Run the servers on that machine, where rdma4j compare --serve runs. Plain TCP uses this"
                    + " address; with the address of an RDMA interface, TCP and RDMA use the same link.")
    private String peer;

    @Option(
            names = "--tools",
            paramLabel = "<list>",
            description = "Tools to compare, or all (default ib_write_lat,ib_write_bw).")
    private String tools = "ib_write_lat,ib_write_bw";

    @Option(
            names = "--sizes",
            paramLabel = "[<tool>=]<list>",
            description = "Message sizes in bytes, or with K or M; repeat it for several tools (default 2 for"
                    + " latency, 4096,65536 for bandwidth, 8 for the atomic tools).")
    private List<String> sizes = new ArrayList<>();

    @Option(
            names = "--rounds",
            paramLabel = "<num>",
            description = "Runs of each tool (default " + ROUNDS + "; fewer than " + MedianInterval.LEAST_FIGURES
                    + " give no interval). Plain TCP has fewer runs.")
    @Within(least = 1, most = 1000)
    private Integer rounds;

    @Option(
            names = "--rounds-within",
            paramLabel = "<seconds>",
            description = "Start no further round after this time, once " + MedianInterval.LEAST_FIGURES
                    + " are done, the fewest that give an interval (default no limit).")
    @Within(least = 1, most = 86_400)
    private Integer roundsWithin;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "<iters>",
            description = "Messages per queue pair and run (default: as many as take about a second on SoftRoCE).")
    @Within(least = 5, most = 100_000_000)
    private int iterations;

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "<dev>",
            description =
                    "Use RDMA device <dev> (default first device found; with --peer, the device whose address this"
                            + " machine uses to reach the other).")
    private String device;

    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "<port>",
            description = "Use port <port> of the device (default 1).")
    @Within(least = 1, most = 255)
    private int devicePort = 1;

    @Option(
            names = {"-x", "--gid-index"},
            paramLabel = "<index>",
            description = "Index of the GID of both ends, or with --peer of this machine (default on Ethernet: the Java"
                    + " tools' choice).")
    @Within(least = 0, most = 255)
    private int gidIndex = -1;

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "<mtu>",
            description = "MTU size: 256 - 4096 (default port mtu).")
    @Within(least = 256, most = 4096, powersOfTwo = true)
    private int mtu;

    @Option(
            names = {"-c", "--connection"},
            paramLabel = "<type>",
            description = "Connection type: RC, XRC, UC, UD or SRD, as far as all tools support it (default RC).")
    private String connection;

    @Option(
            names = {"-q", "--qp"},
            paramLabel = "<num>",
            description = "Number of queue pairs of the bandwidth tools (default 1).")
    @Within(least = 1, most = 16384)
    private Integer queuePairs;

    @Option(
            names = {"-t", "--tx-depth"},
            paramLabel = "<dep>",
            description = "Size of tx queue of the bandwidth tools (default 128).")
    @Within(least = 1, most = 15_000)
    private Integer transmitDepth;

    @Option(
            names = {"-Q", "--cq-mod"},
            paramLabel = "<num>",
            description = "One completion for this many messages of the bandwidth tools (default 100; 1 above 8 KiB).")
    @Within(least = 1, most = 1024)
    private Integer moderation;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "<port>",
            description = "TCP port of the tools' control channel (default a free one).")
    @Within(least = 1, most = 65535)
    private int port;

    @Option(names = "--timeout", paramLabel = "<seconds>", description = "Longest time of one run (default 120).")
    @Within(least = 1, most = 86_400)
    private int timeout = 120;

    @Option(
            names = "--tcp",
            paramLabel = "<mode>",
            description =
                    "Plain TCP beside RDMA: spin waits for messages as the RDMA tools do, block sleeps, none leaves"
                            + " TCP out (default spin; block with only one CPU).")
    private String tcp;

    @Option(
            names = "--c-path",
            paramLabel = "<folder>",
            description = "The folder of the C tools (default: the" + " PATH).")
    private Path cFolder;

    @Option(
            names = "--out_json",
            paramLabel = "<file>",
            description =
                    "Write all figures as JSON; - is standard output, and then the tables go to standard" + " error.")
    private String json;

    @Option(
            names = "--expect",
            paramLabel = "<bound>",
            description = "Exit with status 1 unless Java / C is within this bound: TOOL:SIZE:median<=NUMBER, or"
                    + " best, or >=, such as 'ib_write_lat:2:median<=1.10'; repeat it for several bounds.")
    private List<String> expectations = new ArrayList<>();

    @Option(
            names = "--no-warm-up",
            description = "Skip the warm-up and measure code that is not compiled yet: for trying out, not for"
                    + " comparing.")
    private boolean noWarmUp;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help screen.")
    private boolean help;

    public boolean wantsHelp() {
        return help;
    }

    /** Returns the machine of the servers; empty for this one. */
    public Optional<PeerAddress> peer() {
        return Optional.ofNullable(peer).map(text -> PeerAddress.parse(Protocol.COMPARE, "--peer", text));
    }

    /** Returns the target of the JSON document. */
    public JsonTarget json() {
        return JsonTarget.of(json);
    }

    /**
     * Returns the checked plan.
     *
     * @throws IllegalParameterException when a value is invalid
     */
    public ComparePlan plan() {
        List<Tool> chosen = SizeLists.tools(tools);
        boolean bandwidth = chosen.stream().anyMatch(tool -> !tool.isLatency());
        refuseWithoutBandwidth(bandwidth, "-q/--qp", queuePairs);
        refuseWithoutBandwidth(bandwidth, "-t/--tx-depth", transmitDepth);
        refuseWithoutBandwidth(bandwidth, "-Q/--cq-mod", moderation);
        if (cFolder != null && !Files.isDirectory(cFolder)) {
            throw new IllegalParameterException("--c-path: " + cFolder + " is not a folder");
        }
        peer();
        json().check();
        List<CompareCase> cases = SizeLists.cases(chosen, sizes);
        ComparePlan plan = new ComparePlan(
                cases,
                rounds != null ? rounds : ROUNDS,
                roundsWithin != null ? roundsWithin : 0,
                iterations,
                device,
                devicePort,
                gidIndex,
                mtu,
                connection,
                queuePairs != null ? queuePairs : 1,
                transmitDepth != null ? transmitDepth : 0,
                moderation != null ? moderation : 0,
                port,
                timeout,
                !noWarmUp,
                TcpMode.of(tcp != null ? tcp : "spin"),
                cFolder,
                expectations.stream()
                        .map(text -> Expectation.parse(text, cases))
                        .toList());
        // Apply the tool's own rules before anything is started.
        cases.forEach(test -> plan.order(test, device, plan.gidIndex(), true).clientParameters(RunOrder.HOST));
        return plan;
    }

    private static void refuseWithoutBandwidth(boolean bandwidth, String option, Integer value) {
        if (value != null && !bandwidth) {
            throw new IllegalParameterException(option + " is for the bandwidth tools, and none is among the --tools");
        }
    }
}
