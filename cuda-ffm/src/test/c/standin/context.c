/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Contexts: a device's primary one, which is counted, and own ones. A thread has a stack of them, whose top is its current one.
 */
#include "standin.h"

#include <string.h>

enum { DEEPEST = 1024 };
static __thread CUcontext stack[DEEPEST];
static __thread int depth;
/* The flags that a primary context gets when it is next made. */
static unsigned primary_flags[MAX_DEVICES];

static bool is_device(CUdevice device) { return device >= 0 && device < standin_device_count(); }

static CUcontext top(void) { return depth == 0 ? NULL : stack[depth - 1]; }

CUresult standin_current(CUcontext *context) {
    CUcontext current = top();
    *context = current;
    if (current == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    /* Without the lock: the memory of objects is never given back. */
    if (!standin_is(CONTEXT, current))
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return current->sticky;
}

/* Locked. */
static CUcontext make(CUdevice device, unsigned flags, bool primary) {
    CUcontext context = standin_new(CONTEXT);
    if (context == NULL || !standin_back(device))
        return NULL;
    context->device = device;
    context->flags = flags;
    context->primary = primary;
    standin_counters.contexts++;
    return context;
}

/* Locked. */
static void destroy(CUcontext context) {
    standin_stop_streams(context);
    standin_unload_all(context);
    standin_events_of(context);
    standin_free_all(context);
    standin_delete(CONTEXT, context);
    standin_counters.contexts--;
}

/* Locked. */
static CUcontext primary_of(CUdevice device) {
    for (CUcontext c = standin_next(CONTEXT, NULL); c != NULL; c = standin_next(CONTEXT, c))
        if (c->primary && c->device == device)
            return c;
    return NULL;
}

/* And none is current any more for the thread that asks for it. */
void standin_destroy_contexts(void) {
    for (CUcontext c; (c = standin_next(CONTEXT, NULL)) != NULL;)
        destroy(c);
    depth = 0;
    memset(primary_flags, 0, sizeof primary_flags);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *result, CUdevice device) {
    CALL(cuDevicePrimaryCtxRetain);
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (result == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    LOCKED;
    CUcontext context = primary_of(device);
    if (context == NULL)
        context = make(device, primary_flags[device], true);
    if (context == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    context->retained++;
    *result = context;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    CALL(cuDevicePrimaryCtxRelease_v2);
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    LOCKED;
    CUcontext context = primary_of(device);
    if (context == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    CUresult before = context->sticky;
    if (context->retained == 1)
        standin_drain_context(context); /* as cuCtxDestroy */
    if (standin_is(CONTEXT, context) && --context->retained == 0)
        destroy(context);
    return before;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags) {
    CALL(cuDevicePrimaryCtxSetFlags_v2);
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if ((flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    LOCKED;
    primary_flags[device] = flags;
    CUcontext context = primary_of(device);
    if (context != NULL)
        context->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active) {
    CALL(cuDevicePrimaryCtxGetState);
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    LOCKED;
    CUcontext context = primary_of(device);
    if (flags != NULL)
        *flags = context == NULL ? primary_flags[device] : context->flags;
    if (active != NULL)
        *active = context != NULL;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *result, unsigned int flags, CUdevice device) {
    CALL(cuCtxCreate_v2);
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (result == NULL || (flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    LOCKED;
    CUcontext context = depth == DEEPEST ? NULL : make(device, flags, false);
    if (context == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    stack[depth++] = *result = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxDestroy_v2(CUcontext context) {
    CALL(cuCtxDestroy_v2);
    LOCKED;
    if (!standin_is(CONTEXT, context) || context->primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    CUresult before = context->sticky;
    standin_drain_context(context); /* Driver 580 waits for ever while a stream waits for a value. */
    if (standin_is(CONTEXT, context))
        destroy(context);
    /* On the stacks of other threads, and below the top of this one, it stays. */
    if (top() == context)
        depth--;
    return before;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
    CALL(cuCtxGetCurrent);
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *context = top();
    return CUDA_SUCCESS;
}

/* The top is replaced, and by NULL taken away. */
CUresult cuCtxSetCurrent(CUcontext context) {
    CALL(cuCtxSetCurrent);
    if (context != NULL && !standin_is(CONTEXT, context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (depth > 0)
        depth--;
    if (context != NULL)
        stack[depth++] = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags) {
    CALL(cuCtxGetFlags);
    CURRENT(context);
    if (flags == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = context->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags) {
    CALL(cuCtxSetFlags);
    CURRENT(context);
    if ((flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    context->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) {
    CALL(cuCtxSynchronize);
    CURRENT(context);
    LOCKED;
    bool captured = false;
    for (CUstream s = standin_next(STREAM, NULL); s != NULL; s = standin_next(STREAM, s))
        captured |= s->context == context && standin_spoils_own_capture(s);
    return captured ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : standin_drain_context(context);
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    CALL(cuCtxGetStreamPriorityRange);
    CURRENT(context);
    if (least != NULL)
        *least = 0;
    if (greatest != NULL)
        *greatest = -5;
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
    CALL(cuCtxEnablePeerAccess);
    CURRENT(context);
    LOCKED;
    if (!standin_is(CONTEXT, peer))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (peer->device == context->device)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!standin_settings.peers)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    if ((context->peers & 1u << peer->device) != 0)
        return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    context->peers |= 1u << peer->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    CALL(cuCtxDisablePeerAccess);
    CURRENT(context);
    LOCKED;
    if (!standin_is(CONTEXT, peer))
        return CUDA_ERROR_INVALID_CONTEXT;
    if ((context->peers & 1u << peer->device) == 0)
        return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    context->peers &= ~(1u << peer->device);
    return CUDA_SUCCESS;
}
