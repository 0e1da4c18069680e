/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Events: a place in a stream that others can wait for, with the time at which it was passed. Other processes see an event
 * in a file. Nobody wakes them there, so they poll it.
 */
#include "standin.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

CUevent standin_event(CUcontext context, unsigned flags, int file) {
    CUevent event = standin_new(EVENT);
    void *shared = file < 0 ? NULL : mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (event == NULL || shared == MAP_FAILED) {
        if (file >= 0)
            close(file);
        if (event != NULL)
            standin_delete(EVENT, event);
        return NULL;
    }
    event->context = context;
    event->flags = flags;
    event->file = file;
    event->passage = shared == NULL ? &event->own : shared;
    standin_counters.events++;
    return event;
}

/* Locked. */
static void destroy(CUevent event) {
    if (event->passage != &event->own) {
        munmap(event->passage, PAGE);
        close(event->file);
    }
    standin_delete(EVENT, event);
    standin_counters.events--;
}

void standin_events_of(CUcontext context) {
    for (CUevent e = standin_next(EVENT, NULL), next; e != NULL; e = next) {
        next = standin_next(EVENT, e);
        if (e->context == context)
            destroy(e);
    }
}

CUresult cuEventCreate(CUevent *result, unsigned int flags) {
    CALL(cuEventCreate);
    CURRENT(context);
    if (result == NULL || flags > 7 || ((flags & CU_EVENT_INTERPROCESS) != 0 && (flags & CU_EVENT_DISABLE_TIMING) == 0))
        return CUDA_ERROR_INVALID_VALUE;
    int file = -1;
    if ((flags & CU_EVENT_INTERPROCESS) != 0 &&
        ((file = memfd_create("standin-event", MFD_CLOEXEC)) < 0 || ftruncate(file, (off_t)PAGE) != 0))
        return CUDA_ERROR_OPERATING_SYSTEM;
    LOCKED;
    *result = standin_event(context, flags, file);
    return *result == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
    CALL(cuEventDestroy_v2);
    LOCKED;
    if (!standin_is(EVENT, event))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult before = event->context->sticky;
    destroy(event);
    standin_progress();
    return before;
}

/* Whether all is done up to a record; a destroyed event holds nobody back. Locked. */
static bool has_passed(CUevent event, uint64_t record) { return !standin_is(EVENT, event) || event->passage->done >= record; }

/* Locked. */
static void wait_for_progress(const struct CUevent_st *event) {
    if ((event->flags & CU_EVENT_INTERPROCESS) != 0)
        standin_wait_briefly();
    else
        standin_wait();
}

static CUresult pass(struct operation *operation) {
    LOCKED;
    CUevent event = operation->event;
    if (!has_passed(event, operation->value)) {
        event->passage->done = operation->value;
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
    event->capture = stream->capture;
    if (stream->capture != NULL) {
        /* The capture has the order. Note only which streams may join it. */
        event->capture_number = standin_capture_number(stream->capture);
        event->capture_stream = stream;
        event->captured = stream->captured;
        return CUDA_SUCCESS;
    }
    return standin_enqueue(stream, &(struct operation){.function = FN_cuEventRecord,
                                                       .run = pass,
                                                       .event = event,
                                                       .value = ++event->passage->recorded});
}

static CUresult await(struct operation *operation) {
    LOCKED;
    CUevent event = operation->event;
    while (!has_passed(event, operation->value) && !standin_gives_up(operation))
        wait_for_progress(event);
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
    if (event->capture != NULL) {
        if (!standin_is_captured(event->capture, event->capture_number) ||
            (stream->capture != NULL && stream->capture != event->capture))
            return CUDA_ERROR_CAPTURED_EVENT;
        standin_capture_too(stream, event->capture);
        if (event->capture_stream != stream && event->captured > event->capture_stream->joined)
            event->capture_stream->joined = event->captured;
        return CUDA_SUCCESS;
    }
    if (event->passage->recorded == 0)
        return CUDA_SUCCESS;
    if (stream->capture != NULL)
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    return standin_enqueue(stream, &(struct operation){.function = FN_cuStreamWaitEvent,
                                                       .run = await,
                                                       .event = event,
                                                       .value = event->passage->recorded});
}

CUresult cuEventQuery(CUevent event) {
    CALL(cuEventQuery);
    LOCKED;
    if (!standin_is(EVENT, event))
        return CUDA_ERROR_INVALID_HANDLE;
    if (event->context->sticky != CUDA_SUCCESS)
        return event->context->sticky;
    if (event->capture != NULL)
        return CUDA_ERROR_CAPTURED_EVENT;
    return has_passed(event, event->passage->recorded) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent event) {
    CALL(cuEventSynchronize);
    LOCKED;
    if (!standin_is(EVENT, event))
        return CUDA_ERROR_INVALID_HANDLE;
    if (event->capture != NULL)
        return CUDA_ERROR_CAPTURED_EVENT;
    uint64_t until = event->passage->recorded;
    CUcontext context = event->context;
    while (!has_passed(event, until) && context->sticky == CUDA_SUCCESS)
        wait_for_progress(event);
    return standin_is(CONTEXT, context) ? context->sticky : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
    CALL(cuEventElapsedTime);
    LOCKED;
    if (milliseconds == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!standin_is(EVENT, start) || !standin_is(EVENT, end) || start->context != end->context ||
        start->passage->recorded == 0 || end->passage->recorded == 0 || ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!has_passed(start, start->passage->recorded) || !has_passed(end, end->passage->recorded))
        return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)(end->when_ms - start->when_ms);
    return CUDA_SUCCESS;
}
