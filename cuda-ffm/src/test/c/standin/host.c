/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pinned host memory: the driver's own, and memory of the program that is registered with it.
 */
#include "standin.h"

#include <sys/mman.h>

CUresult cuMemHostAlloc(void **result, size_t size, unsigned int flags) {
    CALL(cuMemHostAlloc);
    CURRENT(context);
    if (result == NULL || size == 0 || flags > 7)
        return CUDA_ERROR_INVALID_VALUE;
    size_t length = (size + PAGE - 1) & ~(PAGE - 1);
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    LOCKED;
    struct range *range = standin_range_add((CUdeviceptr)(uintptr_t)memory, size, length, HOST_MEMORY);
    range->device = context->device;
    range->context = context;
    range->flags = flags;
    standin_counters.host_allocations++;
    *result = memory;
    return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *pointer) {
    CALL(cuMemFreeHost);
    CURRENT(context);
    if (pointer == NULL)
        return CUDA_SUCCESS;
    LOCKED;
    struct range *range = standin_find((CUdeviceptr)(uintptr_t)pointer);
    if (range == NULL || range->base != (CUdeviceptr)(uintptr_t)pointer || range->memory != HOST_MEMORY || range->freeing)
        return CUDA_ERROR_INVALID_VALUE;
    range->freeing = true;
    CUresult drained = standin_drain_device(range->device);
    if (standin_find((CUdeviceptr)(uintptr_t)pointer) == range)
        standin_free(range);
    return drained;
}

CUresult cuMemHostRegister_v2(void *pointer, size_t size, unsigned int flags) {
    CALL(cuMemHostRegister_v2);
    CURRENT(context);
    if (pointer == NULL || size == 0 || flags > 15)
        return CUDA_ERROR_INVALID_VALUE;
    if (!standin_device_attribute(context->device, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED) ||
        ((flags & CU_MEMHOSTREGISTER_READ_ONLY) != 0 &&
         !standin_device_attribute(context->device, CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED)))
        return CUDA_ERROR_NOT_SUPPORTED;
    CUdeviceptr base = (CUdeviceptr)(uintptr_t)pointer;
    LOCKED;
    for (struct range *r = standin_range_after(NULL); r != NULL; r = standin_range_after(r))
        if (r->base < base + size && base < r->base + r->size)
            return r->memory == REGISTERED_MEMORY ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED : CUDA_ERROR_INVALID_VALUE;
    /* Only pages that exist can be pinned. */
    unsigned char resident[1024];
    size_t step = sizeof resident * PAGE, begin = base & ~(PAGE - 1), end = (base + size + PAGE - 1) & ~(PAGE - 1);
    for (size_t at = begin; at < end; at += step)
        if (mincore((void *)at, end - at < step ? end - at : step, resident) != 0)
            return CUDA_ERROR_INVALID_VALUE;
    struct range *range = standin_range_add(base, size, size, REGISTERED_MEMORY);
    range->device = context->device;
    range->context = context;
    range->flags = flags;
    standin_counters.registrations++;
    return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *pointer) {
    CALL(cuMemHostUnregister);
    CURRENT(context);
    LOCKED;
    struct range *range = standin_find((CUdeviceptr)(uintptr_t)pointer);
    if (range == NULL || range->base != (CUdeviceptr)(uintptr_t)pointer || range->memory != REGISTERED_MEMORY || range->freeing)
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    range->freeing = true;
    CUresult drained = standin_drain_device(range->device);
    if (standin_find((CUdeviceptr)(uintptr_t)pointer) == range)
        standin_free(range);
    return drained;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *result, void *pointer, unsigned int flags) {
    CALL(cuMemHostGetDevicePointer_v2);
    CURRENT(context);
    LOCKED;
    struct range *range = standin_find((CUdeviceptr)(uintptr_t)pointer);
    if (result == NULL || flags != 0 || range == NULL || range->memory < HOST_MEMORY)
        return CUDA_ERROR_INVALID_VALUE;
    *result = (CUdeviceptr)(uintptr_t)pointer;
    return CUDA_SUCCESS;
}
