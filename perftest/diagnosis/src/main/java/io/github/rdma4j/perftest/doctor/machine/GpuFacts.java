// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.gpudirect.topology.PciAddress;

/**
 * A GPU as the CUDA driver reports it.
 *
 * @param ordinal CUDA's number of the device, from 0
 * @param name such as {@code NVIDIA H100 80GB HBM3}
 * @param address its PCI function
 * @param computeCapability 10 times the major plus the minor number, such as 90
 * @param memory in bytes
 * @param integrated whether it shares the host's memory ({@code CU_DEVICE_ATTRIBUTE_INTEGRATED})
 * @param rdma {@code CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED}
 * @param dmaBuf {@code CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED}
 * @param rdmaWithVmm {@code CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED}
 * @param flushOptions {@code CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS}: 1 the host can, 2 stream memory
 *     operations can; -1 not known
 * @param writesOrdering {@code CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING}: 0 none, 100 the GPU itself, 200
 *     all devices; -1 not known
 * @param coherent whether it is joined to its processor by a link that keeps caches coherent (C2C), as GH200 and GB200
 *     are ({@code CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES})
 */
public record GpuFacts(
        int ordinal,
        String name,
        PciAddress address,
        int computeCapability,
        long memory,
        boolean integrated,
        Support rdma,
        Support dmaBuf,
        Support rdmaWithVmm,
        int flushOptions,
        int writesOrdering,
        boolean coherent) {}
