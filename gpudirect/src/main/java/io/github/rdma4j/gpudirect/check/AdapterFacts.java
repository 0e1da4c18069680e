// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import io.github.rdma4j.verbs.device.DataDirectSupport;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * An adapter as libibverbs reports it.
 *
 * @param name such as {@code mlx5_0}
 * @param problem why it could not be opened; empty if it could
 * @param dmaBuf whether it can register dma-bufs, from an attempt with file descriptor -1
 * @param firmware its version; empty if it has none
 * @param ports its ports, in order
 * @param dataDirect whether it has a Data Direct engine; empty if libibverbs was not asked
 */
public record AdapterFacts(
        String name,
        Optional<Problem> problem,
        Support dmaBuf,
        String firmware,
        List<PortFacts> ports,
        Optional<DataDirectSupport> dataDirect) {
    /** Copies the list. */
    public AdapterFacts {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(problem, "problem");
        Objects.requireNonNull(dmaBuf, "dmaBuf");
        Objects.requireNonNull(firmware, "firmware");
        Objects.requireNonNull(dataDirect, "dataDirect");
        ports = List.copyOf(Objects.requireNonNull(ports, "ports"));
    }

    /**
     * Makes facts without an answer about Data Direct.
     *
     * @param name such as {@code mlx5_0}
     * @param problem why it could not be opened; empty if it could
     * @param dmaBuf whether it can register dma-bufs
     * @param firmware its version; empty if it has none
     * @param ports its ports, in order
     */
    public AdapterFacts(
            String name, Optional<Problem> problem, Support dmaBuf, String firmware, List<PortFacts> ports) {
        this(name, problem, dmaBuf, firmware, ports, Optional.empty());
    }

    /**
     * Makes the facts of an adapter that cannot be opened.
     *
     * @param name of the adapter
     * @param problem why it cannot be opened
     * @return facts of which everything else is unknown
     */
    public static AdapterFacts unusable(String name, Problem problem) {
        return new AdapterFacts(name, Optional.of(problem), Support.UNKNOWN, "", List.of());
    }
}
