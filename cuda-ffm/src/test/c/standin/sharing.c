/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Device memory for adapters: as a dma-buf, and the order of what they write.
 */
#include "standin.h"

#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A dma-buf where the kernel makes one of a file, else the file: a descriptor that an adapter does not take for one. */
static int export_range(int device, size_t offset, size_t length) {
    int file = standin_backing_file(device), result = -1;
    if (standin_settings.dmabuf != DMABUF_MEMFD) {
        int maker = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
        struct udmabuf_create wanted = {
            .memfd = (uint32_t)file, .flags = UDMABUF_FLAGS_CLOEXEC, .offset = offset, .size = length};
        if (maker >= 0) {
            result = ioctl(maker, UDMABUF_CREATE, &wanted);
            close(maker);
        }
    }
    if (result < 0 && standin_settings.dmabuf != DMABUF_UDMABUF)
        result = fcntl(file, F_DUPFD_CLOEXEC, 0);
    return result;
}

/* The range that these pages are of: it may begin behind their first byte and end before their last. */
static const struct range *range_of_pages(CUdeviceptr begin, size_t size) {
    for (struct range *r = standin_range_after(NULL); r != NULL && r->base < begin + size; r = standin_range_after(r))
        if ((r->base & ~(CUdeviceptr)(PAGE - 1)) <= begin &&
            begin + size <= ((r->base + r->size + PAGE - 1) & ~(CUdeviceptr)(PAGE - 1)))
            return r;
    return NULL;
}

CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr begin, size_t size, CUmemRangeHandleType type,
                                       unsigned long long flags) {
    CALL(cuMemGetHandleForAddressRange);
    CURRENT(context);
    if (handle == NULL || type != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD || begin % PAGE != 0 || size % PAGE != 0 || size == 0 ||
        flags > CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE)
        return CUDA_ERROR_INVALID_VALUE;
    LOCKED;
    const struct range *range = range_of_pages(begin, size);
    if (range == NULL || (range->memory != DEVICE_MEMORY && range->memory != VIRTUAL_MEMORY))
        return CUDA_ERROR_INVALID_VALUE;
    if (!standin_device_attribute(range->device, CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED) ||
        (flags != 0 && standin_settings.driver_version < 12080) ||
        (range->memory == VIRTUAL_MEMORY && !range->handle->properties.allocFlags.gpuDirectRDMACapable))
        return CUDA_ERROR_NOT_SUPPORTED;
    int result = export_range(range->device, range->offset + begin - range->base, size);
    if (result < 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    *(int *)handle = result;
    standin_counters.exports++;
    standin_counters.exports_pcie += flags == CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE;
    return CUDA_SUCCESS;
}

CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target, CUflushGPUDirectRDMAWritesScope scope) {
    CALL(cuFlushGPUDirectRDMAWrites);
    CURRENT(context);
    if (target != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX ||
        (scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER && scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES))
        return CUDA_ERROR_INVALID_VALUE;
    if ((standin_device_attribute(context->device, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS) &
         CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST) == 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    standin_counters.flushes++;
    return CUDA_SUCCESS;
}
