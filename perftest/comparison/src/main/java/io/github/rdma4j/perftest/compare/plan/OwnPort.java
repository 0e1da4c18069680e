// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.options.Within;
import picocli.CommandLine.Option;

/** The options for the RDMA port of this machine, where another machine directs the runs. */
public final class OwnPort {
    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "<dev>",
            description = "Use RDMA device <dev> of this machine (default: the device with the address by which the two"
                    + " machines reach each other, otherwise the first device found).")
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
            description = "Index of this machine's GID (default on Ethernet: the GID of that address, otherwise the"
                    + " Java tools' choice).")
    @Within(least = 0, most = 255)
    private int gidIndex = -1;

    /** Returns the name of the device; null to choose. */
    public String device() {
        return device;
    }

    /** Returns its port. */
    public int devicePort() {
        return devicePort;
    }

    /** Returns the index of the GID; -1 to choose. */
    public int gidIndex() {
        return gidIndex;
    }
}
