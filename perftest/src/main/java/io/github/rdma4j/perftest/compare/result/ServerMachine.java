// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import io.github.rdma4j.perftest.environment.Environment;

/**
 * The machine where the servers are, if it is another one than the clients'.
 *
 * @param address by which this machine reaches it, numeric
 * @param host its name, as it says itself; may be empty
 * @param environment its device and itself
 * @param cFolder where its C tools are
 * @param sockperf whether it has C's program for latency over plain TCP
 * @param iperf whether it has C's program for bandwidth over plain TCP
 */
public record ServerMachine(
        String address, String host, Environment environment, String cFolder, boolean sockperf, boolean iperf) {
    /** In messages. */
    public String title() {
        return host.isEmpty() || host.equals(address) ? address : address + " (" + host + ")";
    }
}
