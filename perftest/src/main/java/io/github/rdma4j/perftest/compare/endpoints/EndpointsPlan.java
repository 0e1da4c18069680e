// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.echo.Transport;
import java.time.Duration;
import java.util.List;

/**
 * The plan of a comparison.
 *
 * @param transports at least one, in the order of their declaration; the others are compared with plain TCP
 * @param sizes of messages, in bytes
 * @param connections the numbers of connections, one after the other
 * @param rates messages per second on all connections together; empty to find them
 * @param seconds of each measurement
 * @param rounds the number of measurements of each case
 * @param device name of the RDMA device; null for the first with an address
 * @param address the numeric address of the device's network interface; null for its first one
 * @param port of the server; 0 for any
 * @param timeoutSeconds the longest time by which a measurement may exceed its duration
 * @param warmUp whether to warm up with messages that do not count
 */
public record EndpointsPlan(
        List<Transport> transports,
        List<Integer> sizes,
        List<Integer> connections,
        List<Double> rates,
        int seconds,
        int rounds,
        String device,
        String address,
        int port,
        int timeoutSeconds,
        boolean warmUp) {
    /** Copies the lists. */
    public EndpointsPlan {
        transports = List.copyOf(transports);
        sizes = List.copyOf(sizes);
        connections = List.copyOf(connections);
        rates = List.copyOf(rates);
    }

    /** Returns the timeout of everything except the messages themselves. */
    public Duration timeout() {
        return Duration.ofSeconds(timeoutSeconds);
    }
}
