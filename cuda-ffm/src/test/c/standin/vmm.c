/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The virtual-memory API: addresses are reserved, physical memory is made and has a handle, and the one is mapped to the other.
 */
#include "standin.h"

#include <stdlib.h>
#include <sys/mman.h>

#define GRANULARITY ((size_t)2 << 20)

/* Reserved twice, for the program's view and for the stand-in's own. */
static struct reservation {
    struct reservation *next;
    CUdeviceptr base;
    size_t size;
    char *shadow;
} *reservations;

static char *reserve(size_t size) {
    char *begin = mmap(NULL, size + GRANULARITY, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED)
        return NULL;
    char *aligned = (char *)(((uintptr_t)begin + GRANULARITY - 1) & ~(GRANULARITY - 1));
    if (aligned > begin)
        munmap(begin, (size_t)(aligned - begin));
    munmap(aligned + size, GRANULARITY - (size_t)(aligned - begin));
    return aligned;
}

static bool is_valid(const CUmemAllocationProp *p) {
    return p != NULL && p->type == CU_MEM_ALLOCATION_TYPE_PINNED && p->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
           p->location.id >= 0 && p->location.id < standin_device_count();
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option) {
    CALL(cuMemGetAllocationGranularity);
    if (granularity == NULL || !is_valid(properties) || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return CUDA_ERROR_INVALID_VALUE;
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *result, size_t size, size_t alignment, CUdeviceptr wanted, unsigned long long flags) {
    CALL(cuMemAddressReserve);
    (void)wanted;
    if (result == NULL || size == 0 || size % GRANULARITY != 0 || (alignment & (alignment - 1)) != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct reservation *own = calloc(1, sizeof *own);
    char *base = reserve(size), *shadow = reserve(size);
    if (own == NULL || base == NULL || shadow == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    LOCKED;
    *own = (struct reservation){reservations, (CUdeviceptr)(uintptr_t)base, size, shadow};
    reservations = own;
    standin_counters.reservations++;
    *result = own->base;
    return CUDA_SUCCESS;
}

static bool is_mapped(CUdeviceptr begin, size_t size) {
    for (struct range *r = standin_range_after(NULL); r != NULL; r = standin_range_after(r))
        if (r->base < begin + size && begin < r->base + r->size)
            return true;
    return false;
}

static void give_back(struct reservation **place) {
    struct reservation *own = *place;
    *place = own->next;
    munmap((void *)(uintptr_t)own->base, own->size);
    munmap(own->shadow, own->size);
    free(own);
    standin_counters.reservations--;
}

CUresult cuMemAddressFree(CUdeviceptr pointer, size_t size) {
    CALL(cuMemAddressFree);
    LOCKED;
    for (struct reservation **r = &reservations; *r != NULL; r = &(*r)->next)
        if ((*r)->base == pointer && (*r)->size == size) {
            if (is_mapped(pointer, size))
                return CUDA_ERROR_INVALID_VALUE;
            give_back(r);
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *result, size_t size, const CUmemAllocationProp *properties,
                     unsigned long long flags) {
    CALL(cuMemCreate);
    if (result == NULL || !is_valid(properties) || size == 0 || size % GRANULARITY != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    int device = properties->location.id;
    if (!standin_device_attribute(device, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) ||
        (properties->allocFlags.gpuDirectRDMACapable &&
         !standin_device_attribute(device, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED)))
        return CUDA_ERROR_NOT_SUPPORTED;
    LOCKED;
    size_t offset;
    if (!standin_back(device) || !standin_place(device, size, GRANULARITY, &offset))
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct handle *handle = standin_new(HANDLE);
    if (handle == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    handle->properties = *properties;
    handle->offset = offset;
    handle->size = size;
    standin_counters.handles++;
    *result = (CUmemGenericAllocationHandle)(uintptr_t)handle;
    return CUDA_SUCCESS;
}

/* Physical memory lives as long as its handle or a mapping. */
static void drop_if_unused(struct handle *handle) {
    if (!handle->released || handle->mappings > 0)
        return;
    standin_displace(handle->properties.location.id, handle->offset);
    standin_delete(HANDLE, handle);
    standin_counters.handles--;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle given) {
    CALL(cuMemRelease);
    LOCKED;
    struct handle *handle = (struct handle *)(uintptr_t)given;
    if (!standin_is(HANDLE, handle) || handle->released)
        return CUDA_ERROR_INVALID_VALUE;
    handle->released = true;
    drop_if_unused(handle);
    return CUDA_SUCCESS;
}

static struct reservation *reservation_of(CUdeviceptr pointer, size_t size) {
    for (struct reservation *r = reservations; r != NULL; r = r->next)
        if (r->base <= pointer && size <= r->size && pointer - r->base <= r->size - size)
            return r;
    return NULL;
}

struct part standin_reservation(CUdeviceptr pointer) {
    struct reservation *own = reservation_of(pointer, 1);
    return own == NULL ? (struct part){0} : (struct part){own->base, own->size};
}

CUresult cuMemMap(CUdeviceptr pointer, size_t size, size_t offset, CUmemGenericAllocationHandle given, unsigned long long flags) {
    CALL(cuMemMap);
    LOCKED;
    struct handle *handle = (struct handle *)(uintptr_t)given;
    struct reservation *own = reservation_of(pointer, size);
    if (own == NULL || size == 0 || pointer % GRANULARITY != 0 || size % GRANULARITY != 0 || offset != 0 || flags != 0 ||
        !standin_is(HANDLE, handle) || handle->released || size > handle->size || is_mapped(pointer, size))
        return CUDA_ERROR_INVALID_VALUE;
    int device = handle->properties.location.id, file = standin_backing_file(device);
    char *shadow = own->shadow + (pointer - own->base);
    if (mmap((void *)(uintptr_t)pointer, size, PROT_NONE, MAP_SHARED | MAP_FIXED, file, (off_t)handle->offset) == MAP_FAILED ||
        mmap(shadow, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, (off_t)handle->offset) == MAP_FAILED)
        return CUDA_ERROR_MAP_FAILED;
    struct range *range = standin_range_add(pointer, size, size, VIRTUAL_MEMORY);
    range->device = device;
    range->handle = handle;
    range->offset = handle->offset;
    range->reach = shadow;
    range->access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    handle->mappings++;
    return CUDA_SUCCESS;
}

void standin_virtual_unmap(struct range *range) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    mmap((void *)(uintptr_t)range->base, range->size, PROT_NONE, flags, -1, 0);
    mmap(range->reach, range->size, PROT_NONE, flags, -1, 0);
    range->handle->mappings--;
    drop_if_unused(range->handle);
}

/* The mappings that make up exactly this piece, or NULL. */
static struct range *whole_mappings(CUdeviceptr pointer, size_t size) {
    struct range *first = standin_find(pointer);
    if (first == NULL || first->base != pointer || first->memory != VIRTUAL_MEMORY)
        return NULL;
    CUdeviceptr end = pointer;
    for (struct range *r = first; r != NULL && r->base == end && r->memory == VIRTUAL_MEMORY; r = standin_range_after(r)) {
        end += r->size;
        if (end - pointer >= size)
            return end - pointer == size ? first : NULL;
    }
    return NULL;
}

CUresult cuMemUnmap(CUdeviceptr pointer, size_t size) {
    CALL(cuMemUnmap);
    LOCKED;
    if (whole_mappings(pointer, size) == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (CUdeviceptr at = pointer; at < pointer + size;) {
        struct range *range = standin_find(at);
        at += range->size;
        standin_free(range);
    }
    return CUDA_SUCCESS;
}

static void show(const struct range *range) {
    bool visible = standin_settings.peer_memory && range->access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE &&
                   range->handle->properties.allocFlags.gpuDirectRDMACapable;
    mprotect((void *)(uintptr_t)range->base, range->size, visible ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void standin_virtual_protect(void) {
    for (struct range *r = standin_range_after(NULL); r != NULL; r = standin_range_after(r))
        if (r->memory == VIRTUAL_MEMORY)
            show(r);
}

CUresult cuMemSetAccess(CUdeviceptr pointer, size_t size, const CUmemAccessDesc *access, size_t count) {
    CALL(cuMemSetAccess);
    if (access == NULL || count == 0)
        return CUDA_ERROR_INVALID_VALUE;
    LOCKED;
    struct range *first = whole_mappings(pointer, size);
    if (first == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || access[i].location.id < 0 ||
            access[i].location.id >= standin_device_count())
            return CUDA_ERROR_INVALID_VALUE;
    for (struct range *r = first; r != NULL && r->base < pointer + size; r = standin_range_after(r)) {
        /* One state for all devices: what any of them may do. */
        for (size_t i = 0; i < count; i++)
            r->access = i == 0 ? access[i].flags : r->access | access[i].flags;
        show(r);
    }
    return CUDA_SUCCESS;
}

void standin_virtual_reset(void) {
    for (struct handle *h = standin_next(HANDLE, NULL), *next; h != NULL; h = next) {
        next = standin_next(HANDLE, h);
        h->released = true;
        drop_if_unused(h);
    }
    while (reservations != NULL)
        give_back(&reservations);
}
