// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.environment.ProcessTime;

/**
 * CPU time of a message, in nanoseconds; NaN if unknown.
 *
 * @param serverUser of the server's process, outside the kernel
 * @param serverSystem of the server's process, in the kernel
 * @param clientUser of the client's process; it spins between messages
 * @param clientSystem of the client's process
 * @param machine the busy time of all processors
 */
public record EchoCost(double serverUser, double serverSystem, double clientUser, double clientSystem, double machine) {
    /** Computes the cost per message, where each message is sent and answered. */
    static EchoCost of(ProcessTime server, ProcessTime client, long machine, long messages) {
        return new EchoCost(
                each(server.user(), messages),
                each(server.system(), messages),
                each(client.user(), messages),
                each(client.system(), messages),
                each(machine, messages));
    }

    private static double each(long nanoseconds, long messages) {
        return nanoseconds == CpuTime.UNKNOWN ? Double.NaN : (double) nanoseconds / messages;
    }
}
