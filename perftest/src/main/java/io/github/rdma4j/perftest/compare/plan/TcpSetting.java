// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.tcp.TcpRun;

/**
 * How plain TCP is run.
 *
 * @param path where it goes
 * @param spin whether it spins in tests of latency
 */
public record TcpSetting(TcpPath path, boolean spin) {
    /** The run over TCP that stands beside a run over RDMA: the same size, and as many messages. */
    public TcpRun run(RunOrder order) {
        boolean latency = order.tool().isLatency();
        return new TcpRun(
                latency,
                (int) order.size(),
                order.iterations(),
                path.address(),
                order.port(),
                latency && spin,
                order.timeoutSeconds(),
                order.warmUp());
    }
}
