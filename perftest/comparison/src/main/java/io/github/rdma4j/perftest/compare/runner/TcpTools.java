// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.TcpPath;
import io.github.rdma4j.perftest.compare.plan.TcpSetting;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.exit.CompareException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The C programs for plain TCP on this machine, both packaged by the distributions: sockperf measures latency as the
 * RDMA tools do, spinning and with percentiles; iperf3 measures bandwidth at the receiver, with messages of any size.
 *
 * @param sockperf the program for latency; null when there is none
 * @param iperf the program for bandwidth; null when there is none
 * @param ipv6 whether they are to use IPv6
 */
public record TcpTools(Path sockperf, Path iperf, boolean ipv6) {
    /**
     * Finds the programs.
     *
     * @param folders the folders to search, in order
     */
    public static TcpTools find(List<Path> folders) {
        return new TcpTools(find("sockperf", folders), find("iperf3", folders), false);
    }

    /** Returns the programs that can use the path: sockperf may support only IPv4 addresses. */
    public TcpTools fitFor(TcpPath path, ChildProcesses children) {
        if (!path.address().contains(":")) {
            return this;
        }
        boolean unfit = sockperf == null
                || children.output(sockperf.toString(), "ping-pong", "--tcp", "-i", "::1", "-p", "9", "-t", "1")
                        .contains("Invalid address");
        return new TcpTools(unfit ? null : sockperf, iperf, true);
    }

    private static Path find(String name, List<Path> folders) {
        return folders.stream()
                .map(folder -> folder.resolve(name))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the program for latency.
     *
     * @throws CompareException when there is none
     */
    Path latency() {
        return known("sockperf", sockperf);
    }

    /**
     * Returns the program for bandwidth.
     *
     * @throws CompareException when there is none
     */
    Path bandwidth() {
        return known("iperf3", iperf);
    }

    private static Path known(String name, Path file) {
        if (file == null) {
            throw new CompareException("there is no " + name + " on the PATH", "apt-get install " + name);
        }
        return file;
    }

    /** Returns the runners of the available programs. */
    public List<Runner> runners(TcpSetting setting, CClient clients) {
        List<Runner> runners = new ArrayList<>();
        if (sockperf != null) {
            runners.add(new SockperfRunner(sockperf.toString(), setting, clients));
        }
        if (iperf != null) {
            runners.add(new IperfRunner(iperf.toString(), setting, clients));
        }
        return runners;
    }

    /** Returns the tools that the server's machine also has; null means this machine. */
    public TcpTools alsoOn(ServerMachine server) {
        return server == null
                ? this
                : new TcpTools(server.sockperf() ? sockperf : null, server.iperf() ? iperf : null, ipv6);
    }

    /**
     * Describes in a line which programs are used or left out, and why.
     *
     * @param server the machine of the servers; null for this one
     */
    public String describe(ServerMachine server) {
        return used(
                        "latency",
                        "sockperf",
                        ipv6 ? " that takes IPv6 addresses" : "",
                        sockperf,
                        server == null || server.sockperf() ? null : server)
                + "; "
                + used("bandwidth", "iperf3", "", iperf, server == null || server.iperf() ? null : server);
    }

    private static String used(String what, String name, String able, Path file, ServerMachine lacking) {
        if (file != null && lacking == null) {
            return what + ": " + file;
        }
        return what + ": left out, there is no " + name + able + " on the PATH"
                + (file == null ? "" : " of " + lacking.title())
                + (able.isEmpty() ? " (apt-get install " + name + ")" : "");
    }
}
