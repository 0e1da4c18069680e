// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import io.github.rdma4j.perftest.environment.Environment;

/**
 * The machine of the servers, if it is not the clients' machine.
 *
 * @param address the numeric address by which this machine reaches it
 * @param host its hostname; may be empty
 * @param environment the environment of its device
 * @param cFolder the folder of its C tools
 * @param sockperf whether it has the C program for latency over plain TCP
 * @param iperf whether it has the C program for bandwidth over plain TCP
 * @param gpu its GPU memory; null if it was not asked for
 */
public record ServerMachine(
        String address,
        String host,
        Environment environment,
        String cFolder,
        boolean sockperf,
        boolean iperf,
        HostGpu gpu) {
    /** Creates the description of a machine that was not asked for GPU memory. */
    public ServerMachine(
            String address, String host, Environment environment, String cFolder, boolean sockperf, boolean iperf) {
        this(address, host, environment, cFolder, sockperf, iperf, null);
    }

    /** Returns its name in messages. */
    public String title() {
        return host.isEmpty() || host.equals(address) ? address : address + " (" + host + ")";
    }
}
