// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import java.util.List;
import java.util.Optional;

/**
 * The adapters of a machine as libibverbs reports them.
 *
 * @param problem why libibverbs cannot be used; empty if it can
 * @param adapters the devices that it lists
 */
public record AdapterInventory(Optional<Problem> problem, List<AdapterFacts> adapters) {
    /** Copies the list. */
    public AdapterInventory {
        adapters = List.copyOf(adapters);
    }
}
