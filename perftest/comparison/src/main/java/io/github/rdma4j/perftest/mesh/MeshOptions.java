// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.compare.plan.JsonTarget;
import io.github.rdma4j.perftest.compare.plan.OwnPort;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.options.Ranges;
import io.github.rdma4j.perftest.options.Within;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of {@code mesh}. */
@Command(
        name = "rdma4j " + MeshCommand.NAME,
        description = "Measures latency and bandwidth between all pairs of hosts, and names hosts and links that are"
                + " slower than the others. Start it on each host with the same options: srun rdma4j mesh.",
        footer = {
            "",
            "Rank 0 directs the others and prints the report. srun or --hosts names the hosts; otherwise --ranks"
                    + " hosts connect to --server.",
            "",
            "Exit status: 0 all pairs were measured, and none stands out; 1 it failed; 2 wrong command line; 3 the"
                    + " report names a host or a link; 130 Ctrl-C. Hosts other than rank 0: 0 or 1."
        },
        sortOptions = false,
        usageHelpAutoWidth = true)
final class MeshOptions {
    private static final int TIMEOUT_SECONDS = 60;
    private static final int ARRIVAL_SECONDS = 120;
    private static final int REPEATS = 3;

    @Option(
            names = "--hosts",
            paramLabel = "<file>",
            description = "A file with one host per line, the same on all hosts; the first one is rank 0. A line may be"
                    + " as in Slurm: node[01-16].")
    private Path hosts;

    @Option(names = "--ranks", paramLabel = "<n>", description = "The number of hosts, for --server without --hosts.")
    private Integer ranks;

    @Option(
            names = "--rank",
            paramLabel = "<n>",
            description = "The rank of this host, from 0 (default: from srun, from JOB_COMPLETION_INDEX of Kubernetes,"
                    + " or its line in --hosts).")
    private Integer rank;

    @Option(
            names = "--server",
            paramLabel = "<host>",
            description = "Rank 0's name or address (default: the first host of the list).")
    private String server;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "<port>",
            description = "Rank 0 listens on this TCP port (default 18518).")
    @Within(least = 1, most = 65535)
    private Integer port;

    @Option(
            names = "--arrival",
            paramLabel = "<seconds>",
            description = "Rank 0 waits this long for the hosts, and then goes on without the missing ones (default "
                    + ARRIVAL_SECONDS + ").")
    @Within(least = 1, most = 86_400)
    private int arrival = ARRIVAL_SECONDS;

    @Mixin
    private OwnPort ownPort;

    @Option(
            names = "--use_cuda",
            paramLabel = "<device>",
            description = "Also measure between the memory of this CUDA device and the GPUs of the other hosts.")
    @Within(least = 0, most = 1023)
    private Integer gpu;

    @Option(
            names = "--use_cuda_bus_id",
            paramLabel = "<address>",
            description = "The same, with the CUDA device at this PCI address.")
    private String gpuAddress;

    @Option(
            names = "--gpu-path",
            paramLabel = "<path>",
            description = "The path to GPU memory: auto, dmabuf, datadirect, peermem or staged (default auto).")
    private String gpuPath;

    @Option(
            names = {"-c", "--connection"},
            paramLabel = "<type>",
            description = "RC, XRC, UC or SRD (default RC).")
    private String connection;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "<bytes>",
            description = "The message size of the bandwidth tests (default 65536).")
    private String size = "65536";

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "<n>",
            description = "Messages per run (default: enough for some tenths of a second).")
    @Within(least = 5, most = 100_000_000)
    private int iterations;

    @Option(
            names = "--repeats",
            paramLabel = "<n>",
            description =
                    "How often each test of a pair is repeated; hosts and links are judged by the best run (default "
                            + REPEATS + ").")
    @Within(least = 1, most = 1000)
    private int repeats = REPEATS;

    @Option(
            names = "--timeout",
            paramLabel = "<seconds>",
            description = "The longest time of a run (default " + TIMEOUT_SECONDS + ").")
    @Within(least = 5, most = 3600)
    private int timeout = TIMEOUT_SECONDS;

    @Option(
            names = "--no-warm-up",
            description = "Skip the warm-up and measure code that is not compiled yet: for trying out, not for"
                    + " comparing.")
    private boolean noWarmUp;

    @Option(
            names = "--out_json",
            paramLabel = "<file>",
            description =
                    "Rank 0 also writes the results to this file, as JSON; -: to standard output, and the report to"
                            + " standard error.")
    private String json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help screen.")
    private boolean help;

    boolean wantsHelp() {
        return help;
    }

    /**
     * Returns the job.
     *
     * @throws IllegalParameterException if the options and the environment do not describe one
     */
    Job job(Map<String, String> environment, Job.Self self) {
        return Job.of(new Job.Request(hosts, ranks, rank, server, port), environment, self);
    }

    /**
     * Returns what to measure.
     *
     * @throws IllegalParameterException if an option is invalid
     */
    MeshPlan plan() {
        MeshPlan plan = new MeshPlan(
                Probe.LATENCY.tool().defaultSize(),
                Ranges.messageSize("--size", size),
                iterations,
                repeats,
                connection,
                !noWarmUp,
                timeout,
                Duration.ofSeconds(arrival),
                gpuOptions());
        for (Probe probe : Probe.values()) {
            plan.order(probe, true, 1, false).checked();
        }
        return plan;
    }

    /** Returns the options about the GPU as the tools have them. */
    private List<String> gpuOptions() {
        IllegalParameterException.when(
                gpu != null && gpuAddress != null,
                "--use_cuda and --use_cuda_bus_id exclude each other: both name the GPU");
        IllegalParameterException.when(
                gpuPath != null && gpu == null && gpuAddress == null,
                "--gpu-path: for the memory of a GPU: give --use_cuda or --use_cuda_bus_id");
        IllegalParameterException.when(
                gpuAddress != null && !gpuAddress.matches("[0-9A-Fa-f:.]{1,16}"),
                () -> "--use_cuda_bus_id: '" + gpuAddress + "' is no PCI address; give one like 0000:17:00.0");
        List<String> options = new ArrayList<>();
        if (gpu != null) {
            options.add("--use_cuda=" + gpu);
        }
        if (gpuAddress != null) {
            options.add("--use_cuda_bus_id=" + gpuAddress);
        }
        if (gpuPath != null) {
            options.add("--gpu-path=" + gpuPath);
        }
        return options;
    }

    JsonTarget json() {
        JsonTarget target = JsonTarget.of(json);
        target.check();
        return target;
    }

    OwnPort ownPort() {
        return ownPort;
    }
}
