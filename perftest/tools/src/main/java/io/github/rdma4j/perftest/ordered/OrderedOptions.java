// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.ordered;

import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.findings.CommandOptions;
import io.github.rdma4j.perftest.findings.JsonOption;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of {@code gpu gpu_ordered_lat}. */
@Command(
        name = "rdma4j gpu " + OrderedCommand.NAME,
        description =
                "Plays ping-pong between the memory of two GPUs: driven by the host, in the order of CUDA streams,"
                        + " and by CUDA graphs. Prints the latency of each, and the share of the time that its"
                        + " thread was busy. Start it without --connect on one machine and with --connect on the"
                        + " other; all other options must be the same.",
        footer = {
            "",
            "Exit status: 0 done; 1 it failed, or bytes were wrong; 2 wrong command line; 4 the JSON document could"
                    + " not be written."
        },
        sortOptions = false,
        usageHelpAutoWidth = true)
final class OrderedOptions extends CommandOptions {
    private static final int MOST_BYTES = 1 << 30;
    private static final int MOST_ROUNDS = 10_000_000;
    private static final int MOST_PORT = 65535;

    @Option(
            names = "--connect",
            paramLabel = "<host>",
            description = "Connect to this server (default: be the server, which waits 10 minutes for the other side).")
    private String server;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "<port>",
            description = "TCP port on which the server listens (default 18515).")
    private int port = 18515;

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "<dev>",
            description = "The RDMA device (default: the first).")
    private String device;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "<bytes>",
            description = "Bytes of a message (default 4096).")
    private int size = 4096;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "<n>",
            description = "Rounds (default 1000).")
    private int rounds = 1000;

    @Option(
            names = "--work",
            paramLabel = "<bytes>",
            description = "Bytes of other memory that the GPU fills in each turn, in addition to the transfer"
                    + " (default 0).")
    private int work;

    @Option(names = "--use_cuda", paramLabel = "<n>", description = "Number of the GPU (default 0).")
    private int gpu;

    @Option(
            names = "--gpu-path",
            paramLabel = "<path>",
            description = "The path to GPU memory: auto, dmabuf, datadirect, peermem or staged (default auto).")
    private String path = "auto";

    @Mixin
    private JsonOption json;

    @Override
    protected void check() {
        json.check();
        within("--port", port, 1, MOST_PORT);
        within("--size", size, 1, MOST_BYTES);
        within("--iters", rounds, 1, MOST_ROUNDS);
        within("--work", work, 0, MOST_BYTES);
        within("--use_cuda", gpu, 0, Integer.MAX_VALUE);
        paths();
    }

    /** Null for the server. */
    String server() {
        return server;
    }

    int port() {
        return port;
    }

    /** Null for the first. */
    String device() {
        return device;
    }

    int size() {
        return size;
    }

    int rounds() {
        return rounds;
    }

    int work() {
        return work;
    }

    int gpu() {
        return gpu;
    }

    List<GpuPath> paths() {
        return switch (path) {
            case "auto" -> List.of(GpuPath.DMA_BUF, GpuPath.PEER_MEMORY, GpuPath.STAGED);
            case "dmabuf" -> List.of(GpuPath.DMA_BUF);
            case "datadirect" -> List.of(GpuPath.DATA_DIRECT);
            case "peermem" -> List.of(GpuPath.PEER_MEMORY);
            case "staged" -> List.of(GpuPath.STAGED);
            default ->
                throw new IllegalParameterException(
                        "--gpu-path: '" + path + "' is not one of auto, dmabuf, datadirect, peermem, staged");
        };
    }

    JsonOption json() {
        return json;
    }
}
