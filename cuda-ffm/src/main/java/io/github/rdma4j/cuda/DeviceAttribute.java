// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;

/**
 * An attribute of a device ({@code CUdevice_attribute}). 1 means yes, 0 no. {@link CudaDevice#attribute(int)} returns
 * other attributes by number.
 *
 * @since 0.1.0
 */
public enum DeviceAttribute {
    /** Most threads in a block. */
    MAX_THREADS_PER_BLOCK(CudaHeaders.CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK()),
    /** Most threads of a block in x. */
    MAX_BLOCK_DIM_X(CudaHeaders.CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X()),
    /** Most threads of a block in y. */
    MAX_BLOCK_DIM_Y(CudaHeaders.CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y()),
    /** Most threads of a block in z. */
    MAX_BLOCK_DIM_Z(CudaHeaders.CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z()),
    /** Most blocks of a grid in x. */
    MAX_GRID_DIM_X(CudaHeaders.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X()),
    /** Most blocks of a grid in y. */
    MAX_GRID_DIM_Y(CudaHeaders.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y()),
    /** Most blocks of a grid in z. */
    MAX_GRID_DIM_Z(CudaHeaders.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z()),
    /** Shared memory of a block in bytes. */
    MAX_SHARED_MEMORY_PER_BLOCK(CudaHeaders.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK()),
    /** Shared memory of a block in bytes, for a kernel that opts in to more. */
    MAX_SHARED_MEMORY_PER_BLOCK_OPTIN(CudaHeaders.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN()),
    /** Threads in a warp. */
    WARP_SIZE(CudaHeaders.CU_DEVICE_ATTRIBUTE_WARP_SIZE()),
    /** Highest clock in kHz. */
    CLOCK_RATE(CudaHeaders.CU_DEVICE_ATTRIBUTE_CLOCK_RATE()),
    /** Multiprocessors. */
    MULTIPROCESSOR_COUNT(CudaHeaders.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT()),
    /** Whether it shares the host's memory (1) or has its own memory (0). */
    INTEGRATED(CudaHeaders.CU_DEVICE_ATTRIBUTE_INTEGRATED()),
    /** Whether it can access pinned host memory. */
    CAN_MAP_HOST_MEMORY(CudaHeaders.CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY()),
    /** 0: any process may use it, 2: none, 3: one process. */
    COMPUTE_MODE(CudaHeaders.CU_DEVICE_ATTRIBUTE_COMPUTE_MODE()),
    /** Whether kernels can run concurrently. */
    CONCURRENT_KERNELS(CudaHeaders.CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS()),
    /** Whether error correction is on. */
    ECC_ENABLED(CudaHeaders.CU_DEVICE_ATTRIBUTE_ECC_ENABLED()),
    /** The bus of its PCI address. */
    PCI_BUS_ID(CudaHeaders.CU_DEVICE_ATTRIBUTE_PCI_BUS_ID()),
    /** The device of its PCI address. */
    PCI_DEVICE_ID(CudaHeaders.CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID()),
    /** The domain of its PCI address. */
    PCI_DOMAIN_ID(CudaHeaders.CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID()),
    /** Highest clock of the memory in kHz. */
    MEMORY_CLOCK_RATE(CudaHeaders.CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE()),
    /** Width of the memory bus in bits. */
    GLOBAL_MEMORY_BUS_WIDTH(CudaHeaders.CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH()),
    /** Level-2 cache in bytes. */
    L2_CACHE_SIZE(CudaHeaders.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE()),
    /** The number of copy engines, which is how many copies can run concurrently with kernels. */
    ASYNC_ENGINE_COUNT(CudaHeaders.CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT()),
    /** Whether host and devices share one address space. */
    UNIFIED_ADDRESSING(CudaHeaders.CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING()),
    /** The major number of the compute capability. */
    COMPUTE_CAPABILITY_MAJOR(CudaHeaders.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR()),
    /** The minor number of the compute capability. */
    COMPUTE_CAPABILITY_MINOR(CudaHeaders.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR()),
    /** Whether streams have priorities. */
    STREAM_PRIORITIES_SUPPORTED(CudaHeaders.CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED()),
    /** Whether there is managed memory. */
    MANAGED_MEMORY(CudaHeaders.CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY()),
    /** Whether host and device may use managed memory concurrently. */
    CONCURRENT_MANAGED_ACCESS(CudaHeaders.CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS()),
    /** Whether it can access pageable host memory. */
    PAGEABLE_MEMORY_ACCESS(CudaHeaders.CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS()),
    /** Whether streams can wait for and write 64-bit values. */
    CAN_USE_64_BIT_STREAM_MEM_OPS(CudaHeaders.CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS()),
    /** Whether streams can wait with {@link WaitCondition#NOR}. */
    CAN_USE_STREAM_WAIT_VALUE_NOR(CudaHeaders.CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR()),
    /** Whether a waiting stream can flush the writes of other devices first. */
    CAN_FLUSH_REMOTE_WRITES(CudaHeaders.CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES()),
    /** Whether existing host memory can be registered. */
    HOST_REGISTER_SUPPORTED(CudaHeaders.CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED()),
    /** Whether host memory can be registered for reading only. */
    READ_ONLY_HOST_REGISTER_SUPPORTED(CudaHeaders.CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED()),
    /** Whether it has the virtual-memory API. */
    VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED(CudaHeaders.CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED()),
    /** Whether its memory can be exported as file descriptors. */
    HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED(
            CudaHeaders.CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED()),
    /** Whether other PCI devices can access its memory. */
    GPU_DIRECT_RDMA_SUPPORTED(CudaHeaders.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED()),
    /** How writes of other PCI devices can be flushed: bits of 1 (by the host) and 2 (by a stream). */
    GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS(CudaHeaders.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS()),
    /** Where writes of other PCI devices are visible in order: 0 nowhere, 100 on the owner, 200 on all devices. */
    GPU_DIRECT_RDMA_WRITES_ORDERING(CudaHeaders.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING()),
    /** Whether other PCI devices can access memory of the virtual-memory API. */
    GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED(CudaHeaders.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED()),
    /** Whether it has memory pools. */
    MEMORY_POOLS_SUPPORTED(CudaHeaders.CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED()),
    /** Whether its memory can be exported as dma-bufs. */
    DMA_BUF_SUPPORTED(CudaHeaders.CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED()),
    /** Whether events can be shared with other processes. */
    IPC_EVENT_SUPPORTED(CudaHeaders.CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED());

    private final int code;

    DeviceAttribute(int code) {
        this.code = code;
    }

    /** {@return the number of the {@code CU_DEVICE_ATTRIBUTE_…}} */
    public int code() {
        return code;
    }
}
