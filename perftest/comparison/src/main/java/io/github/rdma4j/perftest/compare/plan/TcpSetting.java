// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.tcp.TcpParameters;

/**
 * How to run plain TCP.
 *
 * @param path its path
 * @param spin whether it spins in latency tests
 */
public record TcpSetting(TcpPath path, boolean spin) {
    /** Returns the TCP run that belongs to an RDMA run, with the same size and number of messages. */
    public TcpParameters run(RunOrder order) {
        boolean latency = order.tool().isLatency();
        return new TcpParameters(
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
