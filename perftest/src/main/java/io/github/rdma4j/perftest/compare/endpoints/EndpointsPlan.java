// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.echo.Transport;
import java.time.Duration;
import java.util.List;

/**
 * What is compared.
 *
 * @param transports at least one, in the order of their declaration; plain TCP is what others are compared with
 * @param sizes of messages, in bytes
 * @param connections how many, one after the other
 * @param rates messages per second on all connections together; empty to find them
 * @param seconds of each measurement
 * @param rounds how often each is made
 * @param device name of the RDMA device; null for the first with an address
 * @param address of the device's network interface, a numeric one; null for the first that it has
 * @param port of the server; 0 for any
 * @param timeoutSeconds how long a measurement may take beyond its time
 * @param warmUp whether there are messages that do not count
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

    /** How long anything but the messages themselves may take. */
    public Duration timeout() {
        return Duration.ofSeconds(timeoutSeconds);
    }
}
