// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

/**
 * The cost of TCP on a machine.
 *
 * @param core 10⁹ bit/s that one core receives
 * @param sender CPU time of the sender, as a share of the receiver's
 * @param latency microseconds of a small message, one way
 * @param message microseconds of the sender for each message
 * @param mtu the MTU of the interface
 */
public record TcpCosts(double core, double sender, double latency, double message, int mtu) {
    /** Refuses invalid values. */
    public TcpCosts {
        Ranges.positive("core", core);
        Ranges.notNegative("sender", sender);
        Ranges.notNegative("latency", latency);
        Ranges.notNegative("message", message);
        Ranges.within("mtu", mtu, 256, 65_536);
    }
}
