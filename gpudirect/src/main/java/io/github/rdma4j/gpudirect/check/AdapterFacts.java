// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import java.util.List;
import java.util.Optional;

/**
 * What libibverbs tells of an adapter.
 *
 * @param name such as {@code mlx5_0}
 * @param problem why it could not be opened; empty if it could
 * @param dmaBuf whether it can register dma-bufs, by the attempt with file descriptor -1
 * @param firmware its version; empty if it has none
 * @param ports its ports, in order
 * @since 0.1.0
 */
public record AdapterFacts(
        String name, Optional<Problem> problem, Support dmaBuf, String firmware, List<PortFacts> ports) {
    /** Copies the list. */
    public AdapterFacts {
        ports = List.copyOf(ports);
    }

    /**
     * Of an adapter that cannot be opened.
     *
     * @param name of the adapter
     * @param problem why
     * @return facts of which nothing else is known
     */
    public static AdapterFacts unusable(String name, Problem problem) {
        return new AdapterFacts(name, Optional.of(problem), Support.UNKNOWN, "", List.of());
    }
}
