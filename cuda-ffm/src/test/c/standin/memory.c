/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Device memory, pooled and managed memory: made and given back.
 */
#include "standin.h"

#include <sys/mman.h>

static size_t up(size_t value, size_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }

/* Small allocations share pages, as the driver's share its larger ones: an address is aligned to 512 bytes and no more. */
static size_t alignment_of(size_t size) {
    return size >= (size_t)2 << 20 ? (size_t)2 << 20 : size >= (size_t)64 << 10 ? (size_t)64 << 10 : 512;
}

CUresult standin_allocate(CUcontext context, size_t size, enum memory memory, CUdeviceptr *pointer) {
    int device = context->device;
    size_t offset, length = up(size, 512);
    if (size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (size > standin_settings.memory || !standin_place(device, length, alignment_of(size), &offset))
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct range *range = standin_range_add(standin_device_base(device) + offset, size, length, memory);
    range->device = device;
    range->context = context;
    range->offset = offset;
    range->reach = standin_backing(device) + offset;
    if (standin_settings.peer_memory && (memory == DEVICE_MEMORY || memory == POOL_MEMORY))
        standin_show(device, offset, length, true);
    standin_counters.allocations++;
    *pointer = range->base;
    return CUDA_SUCCESS;
}

void standin_protect_all(void) {
    for (struct range *r = standin_range_after(NULL); r != NULL; r = standin_range_after(r))
        if (r->memory == DEVICE_MEMORY || r->memory == POOL_MEMORY)
            standin_show(r->device, r->offset, r->length, standin_settings.peer_memory);
    standin_virtual_protect();
}

void standin_free(struct range *range) {
    switch (range->memory) {
    case DEVICE_MEMORY:
    case POOL_MEMORY:
        standin_displace(range->device, range->offset);
        standin_counters.allocations--;
        break;
    case MANAGED_MEMORY:
        munmap((void *)(uintptr_t)range->base, range->length);
        standin_counters.allocations--;
        break;
    case IPC_MEMORY: munmap((void *)((uintptr_t)range->base & ~(PAGE - 1)), range->length); break;
    case HOST_MEMORY:
        munmap((void *)(uintptr_t)range->base, range->length);
        standin_counters.host_allocations--;
        break;
    case REGISTERED_MEMORY: standin_counters.registrations--; break;
    case VIRTUAL_MEMORY: standin_virtual_unmap(range); break;
    }
    standin_range_remove(range);
}

/* All that belongs to a context, or all there is. */
void standin_free_all(CUcontext context) {
    struct range *range = standin_range_after(NULL);
    while (range != NULL) {
        if (context == NULL || (range->context == context && range->memory != VIRTUAL_MEMORY && range->memory != POOL_MEMORY)) {
            standin_free(range);
            range = standin_range_after(NULL);
        } else {
            range = standin_range_after(range);
        }
    }
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
    CALL(cuMemGetInfo_v2);
    CURRENT(context);
    LOCKED;
    if (free != NULL)
        *free = standin_settings.memory - standin_used(context->device);
    if (total != NULL)
        *total = standin_settings.memory;
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t size) {
    CALL(cuMemAlloc_v2);
    CURRENT(context);
    if (pointer == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    LOCKED;
    return standin_allocate(context, size, DEVICE_MEMORY, pointer);
}

/* Like the driver's, waits for the work of the whole device first: it may use the memory. */
CUresult cuMemFree_v2(CUdeviceptr pointer) {
    CALL(cuMemFree_v2);
    CURRENT(context);
    if (pointer == 0)
        return CUDA_SUCCESS;
    LOCKED;
    struct range *range = standin_find(pointer);
    if (range == NULL || range->base != pointer || range->memory > MANAGED_MEMORY || range->freeing)
        return CUDA_ERROR_INVALID_VALUE;
    range->freeing = true;
    CUresult result = standin_drain_device(range->device);
    /* Destroying the context meanwhile also frees it. */
    if (standin_find(pointer) == range)
        standin_free(range);
    return result;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr pointer) {
    CALL(cuMemGetAddressRange_v2);
    CURRENT(context);
    LOCKED;
    struct range *range = standin_find(pointer);
    if (range == NULL)
        return CUDA_ERROR_NOT_FOUND;
    if (base != NULL)
        *base = range->base;
    if (size != NULL)
        *size = range->size;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t size, unsigned int flags) {
    CALL(cuMemAllocManaged);
    CURRENT(context);
    if (pointer == NULL || size == 0 || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    if (!standin_device_attribute(context->device, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY))
        return CUDA_ERROR_NOT_SUPPORTED;
    size_t length = up(size, PAGE);
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    LOCKED;
    struct range *range = standin_range_add((CUdeviceptr)(uintptr_t)memory, size, length, MANAGED_MEMORY);
    range->device = context->device;
    range->context = context;
    standin_counters.allocations++;
    *pointer = range->base;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t size, CUstream handle) {
    CALL(cuMemAllocAsync);
    CURRENT(context);
    if (pointer == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    LOCKED;
    CUstream stream;
    CUresult result = standin_stream(handle, context, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (!standin_device_attribute(stream->context->device, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED))
        return CUDA_ERROR_NOT_SUPPORTED;
    return standin_allocate(stream->context, size, POOL_MEMORY, pointer);
}

static CUresult free_in_stream(struct operation *operation) {
    LOCKED;
    struct range *range = standin_find(operation->to);
    if (range == NULL || range->base != operation->to)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    standin_free(range);
    return CUDA_SUCCESS;
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream handle) {
    CALL(cuMemFreeAsync);
    CURRENT(context);
    LOCKED;
    CUstream stream;
    CUresult result = standin_stream(handle, context, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    struct range *range = standin_find(pointer);
    if (range == NULL || range->base != pointer || range->memory > POOL_MEMORY || range->freeing)
        return CUDA_ERROR_INVALID_VALUE;
    range->freeing = true;
    return standin_enqueue(stream,
                           &(struct operation){.function = FN_cuMemFreeAsync, .run = free_in_stream, .to = pointer});
}
