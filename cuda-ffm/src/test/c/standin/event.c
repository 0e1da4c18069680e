/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Events: a place in a stream that others can wait for, with the time at which it was passed.
 */
#include "standin.h"

#include <time.h>

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

void standin_events_of(CUcontext context) {
    for (CUevent e = standin_next(EVENT, NULL), next; e != NULL; e = next) {
        next = standin_next(EVENT, e);
        if (e->context == context) {
            standin_delete(EVENT, e);
            standin_counters.events--;
        }
    }
}

CUresult cuEventCreate(CUevent *result, unsigned int flags) {
    CALL(cuEventCreate);
    CURRENT(context);
    if (result == NULL || flags > 7 || ((flags & CU_EVENT_INTERPROCESS) != 0 && (flags & CU_EVENT_DISABLE_TIMING) == 0))
        return CUDA_ERROR_INVALID_VALUE;
    LOCKED;
    CUevent event = standin_new(EVENT);
    if (event == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    event->context = context;
    event->flags = flags;
    standin_counters.events++;
    *result = event;
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
    CALL(cuEventDestroy_v2);
    LOCKED;
    if (!standin_is(EVENT, event))
        return CUDA_ERROR_INVALID_HANDLE;
    standin_delete(EVENT, event);
    standin_counters.events--;
    standin_progress();
    return CUDA_SUCCESS;
}

static CUresult pass(struct operation *operation) {
    LOCKED;
    CUevent event = operation->event;
    if (standin_is(EVENT, event) && event->done < operation->value) {
        event->done = operation->value;
        event->when_ms = now_ms();
    }
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream handle) {
    CALL(cuEventRecord);
    CURRENT(context);
    LOCKED;
    CUstream stream;
    CUresult result = standin_stream(handle, context, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (!standin_is(EVENT, event) || event->context != stream->context)
        return CUDA_ERROR_INVALID_HANDLE;
    return standin_enqueue(stream, &(struct operation){.function = FN_cuEventRecord,
                                                       .run = pass,
                                                       .event = event,
                                                       .value = ++event->recorded});
}

static CUresult await(struct operation *operation) {
    LOCKED;
    CUevent event = operation->event;
    while (standin_is(EVENT, event) && event->done < operation->value && !standin_gives_up(operation))
        standin_wait();
    return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned int flags) {
    CALL(cuStreamWaitEvent);
    CURRENT(context);
    LOCKED;
    CUstream stream;
    CUresult result = standin_stream(handle, context, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (!standin_is(EVENT, event))
        return CUDA_ERROR_INVALID_HANDLE;
    if (flags > 1)
        return CUDA_ERROR_INVALID_VALUE;
    if (event->recorded == 0)
        return CUDA_SUCCESS;
    return standin_enqueue(stream, &(struct operation){.function = FN_cuStreamWaitEvent,
                                                       .run = await,
                                                       .event = event,
                                                       .value = event->recorded});
}

CUresult cuEventQuery(CUevent event) {
    CALL(cuEventQuery);
    LOCKED;
    if (!standin_is(EVENT, event))
        return CUDA_ERROR_INVALID_HANDLE;
    if (event->context->sticky != CUDA_SUCCESS)
        return event->context->sticky;
    return event->done < event->recorded ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event) {
    CALL(cuEventSynchronize);
    LOCKED;
    if (!standin_is(EVENT, event))
        return CUDA_ERROR_INVALID_HANDLE;
    uint64_t until = event->recorded;
    CUcontext context = event->context;
    while (standin_is(EVENT, event) && event->done < until && context->sticky == CUDA_SUCCESS)
        standin_wait();
    return standin_is(CONTEXT, context) ? context->sticky : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
    CALL(cuEventElapsedTime);
    LOCKED;
    if (milliseconds == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!standin_is(EVENT, start) || !standin_is(EVENT, end) || start->context != end->context || start->recorded == 0 ||
        end->recorded == 0 || ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0)
        return CUDA_ERROR_INVALID_HANDLE;
    if (start->done < start->recorded || end->done < end->recorded)
        return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)(end->when_ms - start->when_ms);
    return CUDA_SUCCESS;
}
