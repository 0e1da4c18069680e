// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.perftest.doctor.machine.CheckedGpu;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.findings.CommandOptions;
import io.github.rdma4j.perftest.findings.JsonOption;
import io.github.rdma4j.perftest.talk.PeerAddress;
import io.github.rdma4j.perftest.talk.Protocol;
import io.github.rdma4j.verbs.device.GidEntry;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of {@code doctor}. */
@Command(
        name = "rdma4j " + DoctorCommand.NAME,
        description = "Checks whether RDMA works on this machine, layer by layer: libraries, kernel, devices, ports,"
                + " addresses, limits, placement, RoCE tuning, counters and, if there is a GPU, GPUDirect. Each"
                + " finding comes with its meaning and its fix. Changes nothing and sends nothing.%n"
                + "To test the path between two machines, run --serve on one and --peer on the other.",
        footer = {
            "",
            "Exit status: 0 it works; 1 it works, but something is slow or broken (WARNING, FAIL); 2 wrong command line;"
                    + " 3 it does not work; 4 the JSON file could not be written. \"It\" is RDMA on this machine; with"
                    + " --peer and --serve it is RDMA between the two machines, and a missing peer is status 3; with"
                    + " --gpu it is an adapter's use of GPU memory."
        },
        sortOptions = false,
        usageHelpAutoWidth = true)
final class DoctorOptions extends CommandOptions {
    private static final String ALL_GPUS = "all";
    private static final int MOST_LOAD = 600;
    private static final int MOST_SECONDS = 3600;

    @Mixin
    private JsonOption json;

    @Option(
            names = "--gpu",
            arity = "0..1",
            fallbackValue = ALL_GPUS,
            paramLabel = "<gpu>",
            description =
                    "Show only the findings of GPUDirect: for all GPUs, or for one, by its CUDA number or PCI address.")
    private String gpu;

    @Option(
            names = "--all",
            description =
                    "With --gpu, show all pairs of a GPU and an adapter, not only the nearest adapters of each GPU.")
    private boolean all;

    @Option(names = "--serve", description = "Be the other end of --peer: wait for it, answer its tests, and exit.")
    private boolean serve;

    @Option(
            names = "--peer",
            paramLabel = "<host[:port]>",
            description =
                    "Test RDMA between this machine and the machine that runs --serve. rdma_cm needs the address of an"
                            + " RDMA device's interface.")
    private String peer;

    @Option(
            names = "--port",
            paramLabel = "<port>",
            description = "With --serve, listen on this TCP port (default 18514).")
    private Integer port;

    @Option(
            names = {"-d", "--device"},
            paramLabel = "<device>",
            description =
                    "With --serve and --peer, use this RDMA device of this machine (default: the device that has the"
                            + " address of the TCP connection). With --gpu, show only this adapter.")
    private String device;

    @Option(
            names = "--gid-index",
            paramLabel = "<index>",
            description = "With --serve and --peer, use this GID of this machine (default: the library's choice).")
    private Integer gidIndex;

    @Option(
            names = "--load",
            paramLabel = "<seconds>",
            description = "With --peer, write for this long and look for loss, 0 to 600 (default 1).")
    private Integer load;

    @Option(
            names = "--timeout",
            paramLabel = "<seconds>",
            description =
                    "With --serve, wait this long for the other end (default 300). With --peer, limit the whole run"
                            + " (default 120 plus --load). 1 to 3600.")
    private Integer timeout;

    @Override
    protected void check() {
        json.check();
        if (serve && peer != null) {
            throw new IllegalParameterException("--serve and --peer are the two ends: give one of them");
        }
        if (gpu != null && !isAlone()) {
            throw new IllegalParameterException("--gpu is about this machine alone: leave out --serve and --peer");
        }
        if (gpu != null && !gpu.equals(ALL_GPUS) && !gpu.matches("\\d{1,4}")) {
            try {
                PciAddress.parse(gpu);
            } catch (IllegalArgumentException _) {
                throw new IllegalParameterException(
                        "--gpu: '" + gpu + "' is neither a number from 0 on nor a PCI address such as 0000:07:00.0");
            }
        }
        needs("--all", all ? "" : null, gpu != null, "--gpu");
        needs("--port", port, serve, "--serve; with --peer the port stands behind the host: HOST:PORT");
        needs("--load", load, peer != null, "--peer");
        needs("--device", device, !isAlone() || gpu != null, "--serve or --peer, or for --gpu");
        needs("--gid-index", gidIndex, !isAlone(), "--serve or --peer");
        needs("--timeout", timeout, !isAlone(), "--serve or --peer");
        within("--port", port, 0, 65535);
        within("--gid-index", gidIndex, 0, GidEntry.MAX_USABLE_INDEX);
        within("--load", load, 0, MOST_LOAD);
        within("--timeout", timeout, 1, MOST_SECONDS);
        if (load != null && timeout != null && load >= timeout) {
            throw new IllegalParameterException(
                    "--load: " + load + " s do not fit into a --timeout of " + timeout + " s");
        }
        peer();
    }

    private static void needs(String name, Object value, boolean given, String other) {
        if (value != null && !given) {
            throw new IllegalParameterException(name + " is only for " + other);
        }
    }

    /** Returns whether to show only the findings of GPUDirect. */
    boolean isGpuOnly() {
        return gpu != null;
    }

    /** Returns the only GPU to show, as the user named it. */
    Optional<String> gpu() {
        return Optional.ofNullable(gpu).filter(name -> !name.equals(ALL_GPUS));
    }

    /** Returns whether to show this GPU. */
    boolean accepts(CheckedGpu found) {
        return gpu().map(name -> name.matches("\\d+")
                        ? Integer.parseInt(name) == found.index()
                        : PciAddress.parse(name).equals(found.address()))
                .orElse(true);
    }

    /** Returns whether distant pairs are also shown: a user who names an adapter wants to see them. */
    boolean showsAllPairs() {
        return all || device != null;
    }

    /** Returns whether only this machine is checked. */
    boolean isAlone() {
        return !serve && peer == null;
    }

    /** Returns the address of the serving end; empty if this end serves. */
    Optional<PeerAddress> peer() {
        return Optional.ofNullable(peer).map(text -> PeerAddress.parse(Protocol.DOCTOR, "--peer", text));
    }

    /** The TCP port to serve at. */
    int port() {
        return port == null ? Protocol.DOCTOR.port() : port;
    }

    /** The only device to test. */
    Optional<String> device() {
        return Optional.ofNullable(device);
    }

    /** The GID to use. */
    OptionalInt gidIndex() {
        return gidIndex == null ? OptionalInt.empty() : OptionalInt.of(gidIndex);
    }

    /** Returns the duration of the load test. */
    Duration load() {
        return Duration.ofSeconds(load == null ? 1 : load);
    }

    /** Returns the longest wait for a peer, or the longest duration of all tests. */
    Duration limit() {
        if (timeout != null) {
            return Duration.ofSeconds(timeout);
        }
        return serve ? Duration.ofSeconds(300) : Duration.ofSeconds(120).plus(load());
    }

    /** Returns the JSON option. */
    JsonOption json() {
        return json;
    }
}
