/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Streams. Each has a thread of its own from its first operation on, which does one after the other. All operations have a
 * number; the null stream of a context and its blocking streams wait for each other's lower numbers, others for nothing.
 */
#include "standin.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static uint64_t last_number;
static __thread bool in_callback;

bool standin_gives_up(const struct operation *operation) {
    return operation->stream != NULL && atomic_load_explicit(&operation->stream->giving_up, memory_order_relaxed);
}

bool standin_in_callback(void) { return in_callback; }

static bool waits_for(const struct CUstream_st *stream, const struct CUstream_st *other) {
    return other != stream && other->context == stream->context && stream->null != other->null &&
           ((stream->flags | other->flags) & CU_STREAM_NON_BLOCKING) == 0;
}

/* Locked. */
static bool is_its_turn(const struct CUstream_st *stream) {
    for (CUstream other = standin_next(STREAM, NULL); other != NULL; other = standin_next(STREAM, other))
        if (waits_for(stream, other) && other->first != NULL && other->first->number < stream->first->number)
            return false;
    return true;
}

static void *work(void *argument) {
    CUstream stream = argument;
    standin_lock();
    standin_counters.threads++;
    for (;;) {
        while (stream->first == NULL && !stream->closing)
            standin_sleep(&stream->wake);
        if (stream->first == NULL)
            break;
        struct operation *operation = stream->first;
        while (!is_its_turn(stream) && !stream->giving_up)
            standin_wait();
        CUresult result = stream->context->sticky;
        standin_unlock(NULL);
        if (result == CUDA_SUCCESS)
            result = standin_fault(operation->function);
        if (result == CUDA_SUCCESS && !standin_gives_up(operation))
            result = operation->run(operation);
        standin_lock();
        if (result != CUDA_SUCCESS && stream->context->sticky == CUDA_SUCCESS)
            stream->context->sticky = result;
        stream->first = operation->next;
        free(operation);
        standin_progress();
    }
    standin_counters.threads--;
    standin_counters.streams -= !stream->null;
    pthread_cond_destroy(&stream->wake);
    standin_delete(STREAM, stream);
    standin_progress();
    standin_unlock(NULL);
    return NULL;
}

/* Locked. Signals are for the program's own threads. */
static bool start(CUstream stream) {
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    stream->started = pthread_create(&thread, &attributes, work, stream) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return stream->started;
}

static CUstream make(CUcontext context, unsigned flags, int priority) {
    CUstream stream = standin_new(STREAM);
    if (stream == NULL)
        return NULL;
    stream->context = context;
    stream->flags = flags;
    stream->priority = priority;
    pthread_cond_init(&stream->wake, NULL);
    return stream;
}

CUresult standin_stream(CUstream handle, CUcontext context, CUstream *stream) {
    if ((uintptr_t)handle <= 2) {
        if (context->null_stream == NULL && (context->null_stream = make(context, CU_STREAM_DEFAULT, 0)) == NULL)
            return CUDA_ERROR_OUT_OF_MEMORY;
        context->null_stream->null = true;
        *stream = context->null_stream;
        return CUDA_SUCCESS;
    }
    if (!standin_is(STREAM, handle) || handle->closing)
        return CUDA_ERROR_INVALID_HANDLE;
    *stream = handle;
    return handle->context->sticky;
}

CUresult standin_enqueue(CUstream stream, const struct operation *operation) {
    if (stream->capture != NULL) {
        stream->captured++;
        return standin_capture(stream->capture, operation);
    }
    struct operation *own = malloc(sizeof *own);
    if (own == NULL || (!stream->started && !start(stream))) {
        free(own);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *own = *operation;
    own->next = NULL;
    own->stream = stream;
    own->number = ++last_number;
    if (stream->first == NULL)
        stream->first = own;
    else
        stream->last->next = own;
    stream->last = own;
    pthread_cond_signal(&stream->wake);
    if (standin_settings.at_once)
        standin_drain(stream);
    return CUDA_SUCCESS;
}

CUresult standin_drain(CUstream stream) {
    CUcontext context = stream->context;
    uint64_t until = last_number;
    /* The stream may be destroyed meanwhile, and the context with it. */
    while (standin_is(STREAM, stream) && stream->first != NULL && stream->first->number <= until)
        standin_wait();
    return standin_is(CONTEXT, context) ? context->sticky : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

static CUresult drain(CUcontext context, int device) {
    uint64_t until = last_number;
    CUresult result = CUDA_SUCCESS;
    for (CUstream s = standin_next(STREAM, NULL); s != NULL;) {
        bool asked = context != NULL ? s->context == context : s->context->device == device;
        if (asked && result == CUDA_SUCCESS)
            result = s->context->sticky;
        if (asked && s->first != NULL && s->first->number <= until) {
            standin_wait();
            s = standin_next(STREAM, NULL);
        } else {
            s = standin_next(STREAM, s);
        }
    }
    return result;
}

CUresult standin_drain_context(CUcontext context) {
    CUresult result = drain(context, 0);
    return standin_is(CONTEXT, context) ? context->sticky : result;
}

CUresult standin_drain_device(int device) { return drain(NULL, device); }

CUresult standin_do(CUcontext context, struct operation *operation) {
    CUstream stream;
    CUresult result = standin_stream(NULL, context, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    bool idle = stream->first == NULL;
    for (CUstream s = standin_next(STREAM, NULL); s != NULL && idle; s = standin_next(STREAM, s))
        idle = !waits_for(stream, s) || s->first == NULL;
    if (!idle) {
        result = standin_enqueue(stream, operation);
        return result == CUDA_SUCCESS ? standin_drain(stream) : result;
    }
    /* Nothing to wait for: the caller's thread does it, which spares two changes of threads. */
    standin_unlock(NULL);
    result = standin_fault(operation->function);
    if (result == CUDA_SUCCESS)
        result = operation->run(operation);
    standin_lock();
    if (result != CUDA_SUCCESS && standin_is(CONTEXT, context) && context->sticky == CUDA_SUCCESS)
        context->sticky = result;
    return result;
}

/* Locked. A stream without a thread goes at once, others when they are empty. */
static void close_stream(CUstream stream) {
    stream->closing = true;
    if (stream->started) {
        pthread_cond_signal(&stream->wake);
        return;
    }
    standin_counters.streams -= !stream->null;
    pthread_cond_destroy(&stream->wake);
    standin_delete(STREAM, stream);
}

static bool closes_any(CUcontext context) {
    bool any = false;
    for (CUstream s = standin_next(STREAM, NULL); s != NULL; s = standin_next(STREAM, s))
        if (s->context == context) {
            any |= s->started;
            s->giving_up = true;
            if (!s->closing)
                close_stream(s);
        }
    return any;
}

void standin_stop_streams(CUcontext context) {
    while (closes_any(context)) {
        standin_progress();
        standin_wait();
    }
}

CUresult cuStreamCreateWithPriority(CUstream *result, unsigned int flags, int priority) {
    CALL(cuStreamCreateWithPriority);
    CURRENT(context);
    if (result == NULL || flags > CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    LOCKED;
    CUstream stream = make(context, flags, priority > 0 ? 0 : priority < -5 ? -5 : priority);
    if (stream == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    standin_counters.streams++;
    *result = stream;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetPriority(CUstream handle, int *priority) {
    CALL(cuStreamGetPriority);
    CURRENT(context);
    LOCKED;
    CUstream stream;
    CUresult result = standin_stream(handle, context, &stream);
    if (result == CUDA_SUCCESS && priority == NULL)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *priority = stream->priority;
    return result;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
    CALL(cuStreamDestroy_v2);
    LOCKED;
    if (!standin_is(STREAM, stream) || stream->closing || stream->null)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult before = stream->context->sticky;
    close_stream(stream);
    return before;
}

CUresult cuStreamQuery(CUstream handle) {
    CALL(cuStreamQuery);
    CURRENT(context);
    LOCKED;
    CUstream stream;
    CUresult result = standin_stream(handle, context, &stream);
    if (result == CUDA_SUCCESS && standin_spoils_own_capture(stream))
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return result != CUDA_SUCCESS ? result : stream->first != NULL ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream handle) {
    CALL(cuStreamSynchronize);
    CURRENT(context);
    LOCKED;
    CUstream stream;
    CUresult result = standin_stream(handle, context, &stream);
    if (result == CUDA_SUCCESS && standin_spoils_own_capture(stream))
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return result == CUDA_SUCCESS ? standin_drain(stream) : result;
}

static CUresult call_back(struct operation *operation) {
    in_callback = true;
    operation->callback(operation->data);
    in_callback = false;
    standin_counters.callbacks++;
    return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn callback, void *data) {
    CALL(cuLaunchHostFunc);
    CURRENT(context);
    if (callback == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    LOCKED;
    CUstream stream;
    CUresult result = standin_stream(handle, context, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    return standin_enqueue(stream, &(struct operation){.function = FN_cuLaunchHostFunc,
                                                       .run = call_back,
                                                       .callback = callback,
                                                       .data = data});
}
