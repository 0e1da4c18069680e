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
 * Counts how much of a GPU's memory this process has registered directly. The key is the GPU's PCI address, because all
 * contexts of a GPU share one window.
 *
 * <p>Thread safety: all methods may be called from any thread.
 */
final class DirectBytes {
    /** The unit in which the window is allocated. */
    private static final long PAGE = 64 << 10;

    /**
     * {@code CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES}: the GPU has a coherent link to the CPU.
     */
    private static final int USES_HOST_PAGE_TABLES = 100;

    private static final ConcurrentHashMap<String, AtomicLong> REGISTERED = new ConcurrentHashMap<>();

    private DirectBytes() {}

    static long pages(long bytes) {
        return (bytes + PAGE - 1) / PAGE * PAGE;
    }

    /** Returns the counter of a GPU. */
    static AtomicLong of(CudaDevice device) {
        return REGISTERED.computeIfAbsent(device.pciAddress(), _ -> new AtomicLong());
    }

    /** Returns the window as sysfs and NVML report it, with the current count. */
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
