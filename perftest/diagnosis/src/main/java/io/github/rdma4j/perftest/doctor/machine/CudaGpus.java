// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaDevice;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaUnavailableException;
import io.github.rdma4j.cuda.DeviceAttribute;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import java.util.Optional;

/** Queries the CUDA driver for the GPUs, without creating a context. */
final class CudaGpus {
    /** The versions of CUDA that introduced the attributes. An older driver returns 0, which then means unknown. */
    private static final int RDMA_ATTRIBUTES = 11030;

    private static final int DMA_BUF_ATTRIBUTE = 11070;

    /**
     * {@code CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES}: 1 for a GPU whose link to the processor
     * is coherent.
     */
    private static final int USES_HOST_PAGE_TABLES = 100;

    private CudaGpus() {}

    /** Returns the GPUs. A problem is part of the result and never an exception. */
    static GpuInventory read() {
        try {
            int version = Cuda.driverVersion().number();
            return new GpuInventory(
                    Optional.empty(),
                    version,
                    Cuda.devices().stream()
                            .map(device -> facts(device, version))
                            .toList());
        } catch (CudaUnavailableException failure) {
            return GpuInventory.unavailable(Problem.of(failure, failure.remedy()));
        } catch (CudaException failure) {
            return GpuInventory.unavailable(Problem.of(failure, failure.remedy()));
        }
    }

    private static GpuFacts facts(CudaDevice device, int version) {
        boolean known = version >= RDMA_ATTRIBUTES;
        return new GpuFacts(
                device.ordinal(),
                device.name(),
                PciAddress.parse(device.pciAddress()),
                device.computeCapability(),
                device.totalMemory(),
                device.has(DeviceAttribute.INTEGRATED),
                support(device, DeviceAttribute.GPU_DIRECT_RDMA_SUPPORTED, known),
                support(device, DeviceAttribute.DMA_BUF_SUPPORTED, version >= DMA_BUF_ATTRIBUTE),
                support(device, DeviceAttribute.GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, known),
                known ? device.attribute(DeviceAttribute.GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS) : -1,
                known ? device.attribute(DeviceAttribute.GPU_DIRECT_RDMA_WRITES_ORDERING) : -1,
                device.attribute(USES_HOST_PAGE_TABLES) != 0);
    }

    private static Support support(CudaDevice device, DeviceAttribute attribute, boolean known) {
        return known ? Support.of(device.has(attribute)) : Support.UNKNOWN;
    }
}
