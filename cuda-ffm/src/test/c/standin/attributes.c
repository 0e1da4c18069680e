/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Attributes of pointers.
 */
#include "standin.h"

static bool is_host(const struct range *range) { return range->memory == HOST_MEMORY || range->memory == REGISTERED_MEMORY; }

static bool is_rdma_capable(const struct range *range) {
    return range->memory == DEVICE_MEMORY ||
           (range->memory == VIRTUAL_MEMORY && range->handle->properties.allocFlags.gpuDirectRDMACapable);
}

#define ANSWER(type, value)                                                                                                       \
    do {                                                                                                                          \
        *(type *)data = (type)(value);                                                                                            \
        return CUDA_SUCCESS;                                                                                                      \
    } while (0)

/* Not what is mapped, but where something can be. */
static struct part mappable(const struct range *r) {
    return r->memory == VIRTUAL_MEMORY ? standin_reservation(r->base) : (struct part){r->base, r->size};
}

/* Locked. */
static CUresult answer(void *data, CUpointer_attribute attribute, CUdeviceptr pointer, const struct range *r) {
    bool without_context = r->memory == POOL_MEMORY || r->memory == VIRTUAL_MEMORY;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: ANSWER(CUcontext, without_context ? NULL : r->context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: ANSWER(unsigned, is_host(r) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: ANSWER(CUdeviceptr, pointer);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!is_host(r) && r->memory != MANAGED_MEMORY)
            return CUDA_ERROR_INVALID_VALUE;
        ANSWER(CUdeviceptr, pointer);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: ANSWER(unsigned, r->sync_memops);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: ANSWER(unsigned long long, r->id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: ANSWER(unsigned, r->memory == MANAGED_MEMORY);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: ANSWER(int, r->device);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: ANSWER(unsigned, r->memory == DEVICE_MEMORY);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: ANSWER(CUdeviceptr, mappable(r).base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: ANSWER(size_t, mappable(r).size);
    case CU_POINTER_ATTRIBUTE_MAPPED: ANSWER(unsigned, 1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        ANSWER(unsigned long long, r->memory == VIRTUAL_MEMORY ? r->handle->properties.requestedHandleTypes : 0);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: ANSWER(unsigned, is_rdma_capable(r));
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: ANSWER(unsigned, r->access);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: ANSWER(uintptr_t, r->memory == POOL_MEMORY ? 0x1000 + r->device : 0);
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: ANSWER(size_t, r->size);
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: ANSWER(CUdeviceptr, r->base);
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: ANSWER(unsigned long long, r->id);
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer) {
    CALL(cuPointerGetAttribute);
    LOCKED;
    const struct range *range = standin_find(pointer);
    return data == NULL || range == NULL ? CUDA_ERROR_INVALID_VALUE : answer(data, attribute, pointer, range);
}

/* Memory of the virtual-memory API and of pools cannot synchronise its operations. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr pointer) {
    CALL(cuPointerSetAttribute);
    CURRENT(context);
    LOCKED;
    struct range *range = standin_find(pointer);
    if (value == NULL || range == NULL || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        return CUDA_ERROR_INVALID_VALUE;
    if (range->memory == VIRTUAL_MEMORY || range->memory == POOL_MEMORY)
        return CUDA_ERROR_NOT_SUPPORTED;
    range->sync_memops = *(const unsigned *)value != 0;
    return range->sync_memops ? standin_drain_context(context) : CUDA_SUCCESS;
}
