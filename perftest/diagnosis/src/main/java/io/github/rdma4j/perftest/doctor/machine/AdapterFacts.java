// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.verbs.device.DataDirectSupport;
import io.github.rdma4j.verbs.device.EfaDeviceAttributes;
import java.util.List;
import java.util.Optional;

/**
 * An adapter as libibverbs reports it.
 *
 * @param name such as {@code mlx5_0}
 * @param problem why it could not be opened; empty if it could
 * @param dmaBuf whether it can register dma-bufs, from an attempt with file descriptor -1
 * @param ports its ports, in order
 * @param dataDirect whether it has a Data Direct engine; empty if libibverbs was not queried
 * @param efa limits and capabilities of an Elastic Fabric Adapter; empty for other adapters, and if libefa refuses
 */
public record AdapterFacts(
        String name,
        Optional<Problem> problem,
        Support dmaBuf,
        List<PortFacts> ports,
        Optional<DataDirectSupport> dataDirect,
        Optional<EfaDeviceAttributes> efa) {
    /** Copies the list. */
    public AdapterFacts {
        ports = List.copyOf(ports);
    }

    /**
     * Returns the facts of an adapter that cannot be opened.
     *
     * @param name of the adapter
     * @param problem why it cannot be opened
     * @return facts whose other values are unknown
     */
    public static AdapterFacts unusable(String name, Problem problem) {
        return new AdapterFacts(
                name, Optional.of(problem), Support.UNKNOWN, List.of(), Optional.empty(), Optional.empty());
    }
}
