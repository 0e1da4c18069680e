// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaDevice;
import io.github.rdma4j.cuda.DeviceAttribute;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.gpudirect.topology.Topology;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much of a GPU's memory this process has registered directly, by the GPU's PCI address: several contexts of it
 * share one window.
 *
 * <p>Thread safety: all methods may be called from any thread.
 */
final class DirectBytes {
    /** In which the window is handed out. */
    private static final long PAGE = 64 << 10;

    /** {@code CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES}: a coherent link to the processor. */
    private static final int USES_HOST_PAGE_TABLES = 100;

    private static final ConcurrentHashMap<String, AtomicLong> REGISTERED = new ConcurrentHashMap<>();

    private DirectBytes() {}

    static long pages(long bytes) {
        return (bytes + PAGE - 1) / PAGE * PAGE;
    }

    /** The count of a GPU. */
    static AtomicLong of(CudaDevice device) {
        return REGISTERED.computeIfAbsent(device.pciAddress(), _ -> new AtomicLong());
    }

    /** The window, as sysfs shows it below a root, the count now, and what NVML says. */
    static Bar1Use use(CudaDevice device, Path root) {
        PciAddress address = PciAddress.parse(device.pciAddress());
        Bar1Memory all = Bar1Memory.of(address);
        OptionalLong size = Topology.read(root.resolve("sys"))
                .function(address)
                .map(PciFunction::bar1)
                .filter(OptionalLong::isPresent)
                .orElse(all.total());
        boolean beside = device.has(DeviceAttribute.INTEGRATED) || device.attribute(USES_HOST_PAGE_TABLES) != 0;
        boolean limiting = !beside && size.isPresent() && size.getAsLong() < device.totalMemory();
        return new Bar1Use(size, of(device).get(), limiting, all);
    }
}
