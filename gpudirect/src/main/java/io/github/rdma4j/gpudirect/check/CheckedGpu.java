// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import java.util.Optional;

/**
 * A GPU that was checked: as CUDA sees it, as sysfs does, or both.
 *
 * @param index CUDA's ordinal; where CUDA cannot be used, the place in the order of PCI addresses
 * @param address its PCI function
 * @param facts what CUDA tells of it, if it can be used
 * @param function what sysfs tells of it, if it is there
 * @param window what NVML tells of its BAR1
 */
public record CheckedGpu(
        int index, PciAddress address, Optional<GpuFacts> facts, Optional<PciFunction> function, Bar1Memory window) {
    /** {@return such as {@code GPU0}} */
    public String label() {
        return "GPU" + index;
    }

    Subject subject() {
        return Subject.gpu(label());
    }
}
