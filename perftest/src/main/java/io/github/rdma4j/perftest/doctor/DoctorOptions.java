// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

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
        description =
                "Tells what of RDMA works on this machine, in the order in which it would fail: libraries, kernel,"
                        + " devices, ports, addresses, limits, placement, RoCE tuning, counters. Each finding comes"
                        + " with what it means and the command that mends it. Changes and sends nothing.%n"
                        + "Of two machines: start --serve on one and --peer on the other. They compare what they"
                        + " read of themselves, and test what passes between them.",
        footer = {
            "",
            "Exit status: 0 RDMA can be used and nothing is slow or broken; 1 RDMA can be used, and something is slow"
                    + " or a part is broken (WARNING, FAIL); 2 the command line makes no sense; 3 RDMA cannot be used:"
                    + " no port of any device; 4 the JSON file could not be written. With --peer and --serve the same"
                    + " of RDMA between the two machines; 3, too, if the other end does not come or goes."
        },
        sortOptions = false,
        usageHelpAutoWidth = true)
final class DoctorOptions extends CommandOptions {
    private static final int MOST_LOAD = 600;
    private static final int MOST_SECONDS = 3600;

    @Mixin
    private JsonOption json;

    @Option(names = "--serve", description = "Be the other end of --peer: wait for one, be tested, and end.")
    private boolean serve;

    @Option(
            names = "--peer",
            paramLabel = "<host[:port]>",
            description =
                    "Test what passes between this machine and the one where --serve runs. For rdma_cm the address must"
                            + " be one of an RDMA device's interface.")
    private String peer;

    @Option(
            names = "--port",
            paramLabel = "<port>",
            description = "Listen at this TCP port (default 18514); with --serve.")
    private Integer port;

    @Option(
            names = "--device",
            paramLabel = "<device>",
            description =
                    "Test this RDMA device of this machine (default: the one that has the address by which the machines"
                            + " reach each other); with --serve and --peer.")
    private String device;

    @Option(
            names = "--gid-index",
            paramLabel = "<index>",
            description =
                    "Use this GID of this machine (default: the one that the library takes); with --serve and --peer.")
    private Integer gidIndex;

    @Option(
            names = "--load",
            paramLabel = "<seconds>",
            description = "Write so long and look for loss, 0 to 600 (default 1); with --peer.")
    private Integer load;

    @Option(
            names = "--timeout",
            paramLabel = "<seconds>",
            description =
                    "With --serve, wait so long for the other end (default 300); with --peer, the longest that all of"
                            + " it may take (default 120, and the time of --load). 1 to 3600.")
    private Integer timeout;

    @Override
    protected void check() {
        json.check();
        if (serve && peer != null) {
            throw new IllegalParameterException("--serve and --peer are the two ends: give one of them");
        }
        needs("--port", port, serve, "--serve; with --peer the port stands behind the host: HOST:PORT");
        needs("--load", load, peer != null, "--peer");
        needs("--device", device, !isAlone(), "--serve or --peer");
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

    private static void within(String name, Integer value, int least, int most) {
        if (value != null && (value < least || value > most)) {
            throw new IllegalParameterException(name + ": " + value + " is not in " + least + ".." + most);
        }
    }

    /** Whether no other machine is asked for. */
    boolean isAlone() {
        return !serve && peer == null;
    }

    /** Where the other end serves; empty if this end does. */
    Optional<PeerAddress> peer() {
        return Optional.ofNullable(peer).map(text -> PeerAddress.parse(Protocol.DOCTOR, text));
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

    /** How long to write. */
    Duration load() {
        return Duration.ofSeconds(load == null ? 1 : load);
    }

    /** How long to wait, or how long all may take. */
    Duration limit() {
        if (timeout != null) {
            return Duration.ofSeconds(timeout);
        }
        return serve ? Duration.ofSeconds(300) : Duration.ofSeconds(120).plus(load());
    }

    /** What of JSON is wanted. */
    JsonOption json() {
        return json;
    }
}
