/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Copies and fills. As with the driver: a copy within the device and a fill return before they are done, also where their
 * names do not say so, unless the memory or the context synchronises memory operations; one with pageable memory returns
 * when it is done, also where its name says otherwise.
 */
#include "standin.h"

#include <string.h>
#include <time.h>

enum { TO_DEVICE = 1, FROM_DEVICE = 2 };

static void delay(size_t length) {
    long us = standin_settings.copy_delay_us + (long)((double)standin_settings.copy_delay_us_per_mib * (double)length / (1 << 20));
    if (us > 0)
        nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
    while (atomic_load(&standin_settings.hold))
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static CUresult move(struct operation *o) {
    char *to = (char *)(uintptr_t)o->to, *from = (char *)(uintptr_t)o->from;
    delay(o->length);
    {
        LOCKED;
        if ((o->flags & TO_DEVICE) != 0)
            to = standin_reach(o->to, o->length);
        if ((o->flags & FROM_DEVICE) != 0)
            from = standin_reach(o->from, o->length);
    }
    if (to == NULL || from == NULL)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    memmove(to, from, o->length);
    *o->counter += (long)o->length;
    return CUDA_SUCCESS;
}

/* Memory that only the device reaches. A host address of a copy must not point to it. */
static bool is_device_only(CUdeviceptr address) {
    const struct range *range = standin_find(address);
    return range != NULL && (range->memory == DEVICE_MEMORY || range->memory == POOL_MEMORY || range->memory == VIRTUAL_MEMORY);
}

/* Locked. */
static bool synchronises(CUcontext context, CUdeviceptr address) {
    const struct range *range = standin_find(address);
    return (context->flags & CU_CTX_SYNC_MEMOPS) != 0 || (range != NULL && range->sync_memops);
}

static CUresult copy(struct operation *o, CUstream handle, bool asynchronous) {
    CURRENT(context);
    if (o->length == 0)
        return CUDA_SUCCESS;
    LOCKED;
    bool to_device = (o->flags & TO_DEVICE) != 0, from_device = (o->flags & FROM_DEVICE) != 0;
    if (to_device ? standin_reach(o->to, o->length) == NULL : o->to == 0 || is_device_only(o->to))
        return CUDA_ERROR_INVALID_VALUE;
    if (from_device ? standin_reach(o->from, o->length) == NULL : o->from == 0 || is_device_only(o->from))
        return CUDA_ERROR_INVALID_VALUE;
    o->run = move;
    bool within = to_device && from_device;
    if (!asynchronous && (!within || synchronises(context, o->to) || synchronises(context, o->from)))
        return standin_do(context, o);
    CUstream stream;
    CUresult result = standin_stream(handle, context, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    bool pageable = !within && !standin_is_pinned((void *)(uintptr_t)(to_device ? o->from : o->to), o->length);
    standin_counters.copies_pageable += pageable;
    result = standin_enqueue(stream, o);
    return result == CUDA_SUCCESS && pageable ? standin_drain(stream) : result;
}

#define COPY(symbol, destination, source, bytes, sides, count)                                                                    \
    &(struct operation) {                                                                                                         \
        .function = FN_##symbol, .to = (CUdeviceptr)(uintptr_t)(destination), .from = (CUdeviceptr)(uintptr_t)(source),          \
        .length = (bytes), .flags = (sides), .counter = &standin_counters.count                                                   \
    }

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t length) {
    CALL(cuMemcpyHtoD_v2);
    return copy(COPY(cuMemcpyHtoD_v2, to, from, length, TO_DEVICE, bytes_htod), NULL, false);
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t length) {
    CALL(cuMemcpyDtoH_v2);
    return copy(COPY(cuMemcpyDtoH_v2, to, from, length, FROM_DEVICE, bytes_dtoh), NULL, false);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t length) {
    CALL(cuMemcpyDtoD_v2);
    return copy(COPY(cuMemcpyDtoD_v2, to, from, length, TO_DEVICE | FROM_DEVICE, bytes_dtod), NULL, false);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t length, CUstream stream) {
    CALL(cuMemcpyHtoDAsync_v2);
    return copy(COPY(cuMemcpyHtoDAsync_v2, to, from, length, TO_DEVICE, bytes_htod), stream, true);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t length, CUstream stream) {
    CALL(cuMemcpyDtoHAsync_v2);
    return copy(COPY(cuMemcpyDtoHAsync_v2, to, from, length, FROM_DEVICE, bytes_dtoh), stream, true);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t length, CUstream stream) {
    CALL(cuMemcpyDtoDAsync_v2);
    return copy(COPY(cuMemcpyDtoDAsync_v2, to, from, length, TO_DEVICE | FROM_DEVICE, bytes_dtod), stream, true);
}

/* Each address must be of its context's device. */
static bool are_peers(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context) {
    LOCKED;
    const struct range *target = standin_find(to), *source = standin_find(from);
    return standin_is(CONTEXT, to_context) && standin_is(CONTEXT, from_context) && target != NULL && source != NULL &&
           target->device == to_context->device && source->device == from_context->device;
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t length) {
    CALL(cuMemcpyPeer);
    if (!are_peers(to, to_context, from, from_context))
        return CUDA_ERROR_INVALID_VALUE;
    return copy(COPY(cuMemcpyPeer, to, from, length, TO_DEVICE | FROM_DEVICE, bytes_peer), NULL, false);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t length,
                           CUstream stream) {
    CALL(cuMemcpyPeerAsync);
    if (!are_peers(to, to_context, from, from_context))
        return CUDA_ERROR_INVALID_VALUE;
    return copy(COPY(cuMemcpyPeerAsync, to, from, length, TO_DEVICE | FROM_DEVICE, bytes_peer), stream, true);
}

static CUresult fill(struct operation *o) {
    char *to;
    delay(o->length);
    {
        LOCKED;
        to = standin_reach(o->to, o->length);
    }
    if (to == NULL)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    if (o->flags == 1)
        memset(to, (int)o->value, o->length);
    else
        for (size_t i = 0; i < o->length / 4; i++)
            ((uint32_t *)to)[i] = (uint32_t)o->value;
    return CUDA_SUCCESS;
}

/* width: 1 or 4 */
static CUresult set(enum function function, CUdeviceptr to, unsigned value, size_t count, unsigned width, CUstream handle,
                    bool asynchronous) {
    CURRENT(context);
    if (to % width != 0 || count > SIZE_MAX / width)
        return CUDA_ERROR_INVALID_VALUE;
    if (count == 0)
        return CUDA_SUCCESS;
    struct operation o = {.function = function, .run = fill, .to = to, .length = count * width, .value = value, .flags = width};
    LOCKED;
    if (standin_reach(to, o.length) == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!asynchronous && synchronises(context, to))
        return standin_do(context, &o);
    CUstream stream;
    CUresult result = standin_stream(handle, context, &stream);
    return result == CUDA_SUCCESS ? standin_enqueue(stream, &o) : result;
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
    CALL(cuMemsetD8_v2);
    return set(FN_cuMemsetD8_v2, to, value, count, 1, NULL, false);
}

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned int value, size_t count) {
    CALL(cuMemsetD32_v2);
    return set(FN_cuMemsetD32_v2, to, value, count, 4, NULL, false);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    CALL(cuMemsetD8Async);
    return set(FN_cuMemsetD8Async, to, value, count, 1, stream, true);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) {
    CALL(cuMemsetD32Async);
    return set(FN_cuMemsetD32Async, to, value, count, 4, stream, true);
}
