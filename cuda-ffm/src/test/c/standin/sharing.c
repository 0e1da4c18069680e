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

enum { MAX_PIECES = 64 };

/* Parts of the devices' files: a struct udmabuf_create_list with room. */
struct pieces {
    uint32_t flags, count;
    struct udmabuf_create_item items[MAX_PIECES];
};

/* A dma-buf where the kernel makes one of a file, else the file: a descriptor that an adapter does not take for one. */
static int export_pieces(int file, struct pieces *pieces) {
    int result = -1;
    if (standin_settings.dmabuf != DMABUF_MEMFD) {
        int maker = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
        if (maker >= 0) {
            result = ioctl(maker, UDMABUF_CREATE_LIST, pieces);
            close(maker);
        }
    }
    if (result < 0 && standin_settings.dmabuf != DMABUF_UDMABUF)
        result = fcntl(file, F_DUPFD_CLOEXEC, 0);
    return result;
}

/*
 * The first range of those that these pages are of, or NULL: it may begin behind their first byte, and the last one may
 * end before their last. Of virtual memory there may be several, as an H100 has them, be some not made for other devices.
 */
static const struct range *ranges_of_pages(CUdeviceptr begin, size_t size, struct pieces *pieces) {
    const struct range *first = NULL;
    CUdeviceptr at = begin, end = begin + size;
    for (struct range *r = standin_range_after(NULL); r != NULL && at < end; r = standin_range_after(r)) {
        CUdeviceptr start = r->base & ~(CUdeviceptr)(PAGE - 1), stop = (r->base + r->size + PAGE - 1) & ~(CUdeviceptr)(PAGE - 1);
        if (stop <= at || start > at)
            continue;
        if (pieces->count == MAX_PIECES || (first != NULL && (r->memory != VIRTUAL_MEMORY || r->device != first->device)))
            return NULL;
        if (first == NULL)
            first = r;
        CUdeviceptr until = stop < end ? stop : end;
        /* Small allocations share a page: only the end identifies one of them. */
        if (until < end && first->memory != VIRTUAL_MEMORY) {
            first = NULL;
            continue;
        }
        pieces->items[pieces->count++] = (struct udmabuf_create_item){
            .memfd = (uint32_t)standin_backing_file(r->device), .offset = r->offset + at - r->base, .size = until - at};
        at = until;
    }
    return at == end ? first : NULL;
}

static bool is_capable(const struct range *first, CUdeviceptr end) {
    bool capable = first->memory != VIRTUAL_MEMORY;
    for (const struct range *r = first; !capable && r != NULL && r->base < end; r = standin_range_after(r))
        capable = r->handle->properties.allocFlags.gpuDirectRDMACapable;
    return capable;
}

CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr begin, size_t size, CUmemRangeHandleType type,
                                       unsigned long long flags) {
    CALL(cuMemGetHandleForAddressRange);
    CURRENT(context);
    if (handle == NULL || type != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD || begin % PAGE != 0 || size % PAGE != 0 || size == 0 ||
        flags > CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE)
        return CUDA_ERROR_INVALID_VALUE;
    LOCKED;
    struct pieces pieces = {.flags = UDMABUF_FLAGS_CLOEXEC};
    const struct range *range = ranges_of_pages(begin, size, &pieces);
    if (range == NULL ||
        (range->memory != DEVICE_MEMORY && range->memory != VIRTUAL_MEMORY && range->memory != POOL_MEMORY))
        return CUDA_ERROR_INVALID_VALUE;
    if (!standin_device_attribute(range->device, CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED) ||
        (flags != 0 && standin_settings.driver_version < 12080) ||
        !is_capable(range, begin + size))
        return CUDA_ERROR_NOT_SUPPORTED;
    int result = export_pieces(standin_backing_file(range->device), &pieces);
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
