// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.options.Tool;
import java.nio.file.Path;
import java.util.List;

/**
 * The comparison that the command line requests.
 *
 * @param cases the rows of the comparison
 * @param rounds the largest number of rounds
 * @param roundsWithinSeconds the time after which no further round starts, once there are enough for an interval; 0 for
 *     no limit
 * @param iterations messages per queue pair, or 0 for {@link DefaultIterations}
 * @param device name of the device; null for the first one
 * @param devicePort its port
 * @param gidIndex index into the port's GID table; -1 to choose
 * @param mtu path MTU in bytes, or 0
 * @param connection type of the queue pairs; null for RC
 * @param queuePairs queue pairs of the bandwidth tools
 * @param transmitDepth transmit depth of the bandwidth tools, or 0
 * @param moderation completion moderation of the bandwidth tools, or 0
 * @param port TCP port; 0 for a free one
 * @param timeoutSeconds the longest a run may take
 * @param warmUp whether Java compiles the measured code first
 * @param tcp how to run plain TCP
 * @param cFolder the folder of the C tools; null for the PATH
 * @param expectations bounds of the ratios
 */
public record ComparePlan(
        List<CompareCase> cases,
        int rounds,
        int roundsWithinSeconds,
        int iterations,
        String device,
        int devicePort,
        int gidIndex,
        int mtu,
        String connection,
        int queuePairs,
        int transmitDepth,
        int moderation,
        int port,
        int timeoutSeconds,
        boolean warmUp,
        TcpMode tcp,
        Path cFolder,
        List<Expectation> expectations) {
    private static final int ANY_PORT = 18515;

    /** Copies the lists. */
    public ComparePlan {
        cases = List.copyOf(cases);
        expectations = List.copyOf(expectations);
    }

    /** Returns the tools, each once. */
    public List<Tool> tools() {
        return cases.stream().map(CompareCase::tool).distinct().toList();
    }

    /**
     * Returns the run of a case.
     *
     * @param test one of the cases
     * @param usedDevice name of the device, resolved
     * @param usedGidIndex index of the GID, resolved; -1 for none
     * @param software whether it is a software device
     */
    public RunOrder order(CompareCase test, String usedDevice, int usedGidIndex, boolean software) {
        boolean latency = test.tool().isLatency();
        return new RunOrder(
                test.tool(),
                test.size(),
                iterations > 0 ? iterations : DefaultIterations.of(test.tool(), test.size(), software),
                usedDevice,
                devicePort,
                usedGidIndex,
                mtu,
                connection,
                latency ? 1 : queuePairs,
                latency ? 0 : transmitDepth,
                latency ? 0 : moderation,
                port > 0 ? port : ANY_PORT,
                timeoutSeconds,
                warmUp,
                false,
                List.of());
    }
}
