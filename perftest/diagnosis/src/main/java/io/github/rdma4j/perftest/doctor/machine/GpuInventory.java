// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import java.util.List;
import java.util.Optional;

/**
 * The GPUs of a machine as the CUDA driver reports them.
 *
 * @param problem why CUDA cannot be used; empty if it can
 * @param cudaVersion the newest CUDA that the driver supports, as it numbers it: 12040 is 12.4; 0 if not known
 * @param gpus the devices, by ordinal
 */
public record GpuInventory(Optional<Problem> problem, int cudaVersion, List<GpuFacts> gpus) {
    /** Copies the list. */
    public GpuInventory {
        gpus = List.copyOf(gpus);
    }

    /**
     * Returns the inventory of a machine without CUDA.
     *
     * @param problem why
     * @return an inventory without devices
     */
    public static GpuInventory unavailable(Problem problem) {
        return new GpuInventory(Optional.of(problem), 0, List.of());
    }
}
