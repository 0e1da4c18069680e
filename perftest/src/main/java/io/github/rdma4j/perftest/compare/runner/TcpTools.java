// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.TcpSetting;
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
 */
public record TcpTools(Path sockperf, Path iperf) {
    /**
     * Looks for them.
     *
     * @param folders where, in order
     */
    public static TcpTools find(List<Path> folders) {
        return new TcpTools(find("sockperf", folders), find("iperf3", folders));
    }

    private static Path find(String name, List<Path> folders) {
        return folders.stream()
                .map(folder -> folder.resolve(name))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst()
                .orElse(null);
    }

    /** Those that can be run. */
    public List<Runner> runners(TcpSetting setting, ChildProcesses children, ProcessGuard guard) {
        List<Runner> runners = new ArrayList<>();
        if (sockperf != null) {
            runners.add(new SockperfRunner(sockperf.toString(), setting, children, guard));
        }
        if (iperf != null) {
            runners.add(new IperfRunner(iperf.toString(), setting, children, guard));
        }
        return runners;
    }

    /** What is used, and what is left out and why, in a line. */
    public String describe() {
        return used("latency", "sockperf", sockperf) + "; " + used("bandwidth", "iperf3", iperf);
    }

    private static String used(String what, String name, Path file) {
        return file != null
                ? what + ": " + file
                : what + ": left out, there is no " + name + " on the PATH (apt-get install " + name + ")";
    }
}
