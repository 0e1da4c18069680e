// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import java.util.Optional;

/**
 * A GPU that was checked, as CUDA sees it, as sysfs does, or both.
 *
 * @param index CUDA's ordinal; if CUDA cannot be used, the position in the order of PCI addresses
 * @param address its PCI function
 * @param facts the GPU as CUDA reports it; empty if CUDA cannot be used
 * @param function the GPU's PCI function in sysfs; empty if it is not there
 * @param window its BAR1 as NVML reports it
 */
public record CheckedGpu(
        int index, PciAddress address, Optional<GpuFacts> facts, Optional<PciFunction> function, Bar1Memory window) {
    /** {@return such as {@code GPU0}} */
    public String label() {
        return "GPU" + index;
    }
}
