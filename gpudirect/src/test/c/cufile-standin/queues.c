/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Batches, done by a thread of each, and transfers in the order of a stream, done by a function of the host there.
 */
#include "standin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PENDING = 2, CANCELED = 8, COMPLETE = 16, FAILED = 64 };
enum { FIXED_MEMORY = 1, FIXED_FILE = 2, FIXED_SIZE = 4, MOST_STREAMS = 64 };

struct entry {
    io_params what;
    int status;
    ssize_t ret;
    bool used;
};

struct batch {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    void *context;
    unsigned size;
    bool cancelled, ending;
    struct entry entries[];
};

static struct entry *next_pending(struct batch *batch) {
    for (unsigned i = 0; i < batch->size; i++)
        if (batch->entries[i].used && batch->entries[i].status == PENDING) return &batch->entries[i];
    return NULL;
}

static ssize_t do_entry(io_params *what) {
    int code = called("batch.result");
    if (!code) code = bad_range(what->batch.base, what->batch.memory_offset, what->batch.size);
    return code ? -code
                : transfer(what->opcode == 1, what->file, what->batch.base, what->batch.size, what->batch.file_offset,
                           what->batch.memory_offset, true);
}

static void *work(void *argument) {
    struct batch *batch = argument;
    ((int (*)(void *))cuda("cuCtxSetCurrent"))(batch->context);
    pthread_mutex_lock(&batch->lock);
    while (true) {
        struct entry *entry = next_pending(batch);
        if (!entry) {
            if (batch->ending) break;
            pthread_cond_wait(&batch->changed, &batch->lock);
            continue;
        }
        if (batch->cancelled) {
            entry->status = CANCELED;
            entry->ret = 0;
        } else {
            io_params what = entry->what;
            pthread_mutex_unlock(&batch->lock);
            ssize_t ret = do_entry(&what);
            pthread_mutex_lock(&batch->lock);
            entry->ret = ret;
            entry->status = ret < 0 ? FAILED : COMPLETE;
        }
        pthread_cond_broadcast(&batch->changed);
    }
    pthread_mutex_unlock(&batch->lock);
    return NULL;
}

API result cuFileBatchIOSetUp(void **handle, unsigned size) {
    int code = called("cuFileBatchIOSetUp");
    if (!code) code = not_ready();
    if (!code && (size == 0 || size > 128)) code = INVALID_VALUE;
    if (code) return failed(code);
    struct batch *batch = calloc(1, sizeof *batch + size * sizeof(struct entry));
    pthread_mutex_init(&batch->lock, NULL);
    pthread_cond_init(&batch->changed, NULL);
    batch->size = size;
    ((int (*)(void **))cuda("cuCtxGetCurrent"))(&batch->context);
    pthread_create(&batch->thread, NULL, work, batch);
    count_batches(1);
    *handle = batch;
    return ok();
}

API result cuFileBatchIOSubmit(void *handle, unsigned count, io_params *what, unsigned flags) {
    struct batch *batch = handle;
    int code = called("cuFileBatchIOSubmit");
    if (!code) code = not_ready();
    if (!code && flags) code = INVALID_VALUE;
    for (unsigned i = 0; i < count && !code; i++)
        if (what[i].mode != 1) code = INVALID_VALUE;
        else if (!file_of(what[i].file)) code = HANDLE_NOT_REGISTERED;
    if (code) return failed(code);
    pthread_mutex_lock(&batch->lock);
    unsigned room = 0;
    for (unsigned i = 0; i < batch->size; i++) room += !batch->entries[i].used;
    if (room < count) code = BATCH_FULL;
    batch->cancelled = false;
    for (unsigned i = 0, n = 0; i < batch->size && n < count && !code; i++)
        if (!batch->entries[i].used) batch->entries[i] = (struct entry){what[n++], PENDING, 0, true};
    pthread_cond_broadcast(&batch->changed);
    pthread_mutex_unlock(&batch->lock);
    return code ? failed(code) : ok();
}

API result cuFileBatchIOGetStatus(void *handle, unsigned at_least, unsigned *count, io_event *events,
                                  struct timespec *limit) {
    struct batch *batch = handle;
    int code = called("cuFileBatchIOGetStatus");
    if (code) return failed(code);
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    if (limit) {
        end.tv_sec += limit->tv_sec + (end.tv_nsec + limit->tv_nsec) / 1000000000;
        end.tv_nsec = (end.tv_nsec + limit->tv_nsec) % 1000000000;
    }
    pthread_mutex_lock(&batch->lock);
    unsigned found = 0;
    while (true) {
        for (unsigned i = 0; i < batch->size && found < *count; i++) {
            struct entry *entry = &batch->entries[i];
            if (entry->used && entry->status != PENDING) {
                events[found++] = (io_event){entry->what.cookie, entry->status, (size_t)entry->ret};
                entry->used = false;
            }
        }
        if (found >= at_least || found == *count) break;
        if (!limit) pthread_cond_wait(&batch->changed, &batch->lock);
        else if (pthread_cond_timedwait(&batch->changed, &batch->lock, &end)) break;
    }
    *count = found;
    pthread_mutex_unlock(&batch->lock);
    return ok();
}

API result cuFileBatchIOCancel(void *handle) {
    struct batch *batch = handle;
    int code = called("cuFileBatchIOCancel");
    if (code) return failed(code);
    pthread_mutex_lock(&batch->lock);
    batch->cancelled = true;
    pthread_mutex_unlock(&batch->lock);
    return ok();
}

API void cuFileBatchIODestroy(void *handle) {
    struct batch *batch = handle;
    called("cuFileBatchIODestroy");
    pthread_mutex_lock(&batch->lock);
    batch->ending = true;
    pthread_cond_broadcast(&batch->changed);
    pthread_mutex_unlock(&batch->lock);
    pthread_join(batch->thread, NULL);
    free(batch);
    count_batches(-1);
}

static struct {
    void *stream;
    unsigned flags;
} streams[MOST_STREAMS];

API result cuFileStreamRegister(void *stream, unsigned flags) {
    int code = called("cuFileStreamRegister");
    if (!code) code = not_ready();
    if (code) return failed(code);
    for (int i = 0; i < MOST_STREAMS; i++)
        if (!streams[i].stream) {
            streams[i].stream = stream;
            streams[i].flags = flags;
            count_streams(1);
            return ok();
        }
    return failed(INVALID_VALUE);
}

API result cuFileStreamDeregister(void *stream) {
    int code = called("cuFileStreamDeregister");
    for (int i = 0; i < MOST_STREAMS; i++)
        if (streams[i].stream == stream) {
            streams[i].stream = NULL;
            count_streams(-1);
        }
    return code ? failed(code) : ok();
}

static unsigned flags_of(void *stream) {
    for (int i = 0; i < MOST_STREAMS; i++)
        if (streams[i].stream == stream) return streams[i].flags;
    return 0;
}

struct queued {
    bool write;
    unsigned flags;
    void *file, *base;
    size_t size, *size_at;
    off_t file_offset, *file_at, memory_offset, *memory_at;
    ssize_t *bytes;
};

static void run_queued(void *argument) {
    struct queued *work = argument;
    int code = called(work->write ? "cuFileWriteAsync.result" : "cuFileReadAsync.result");
    size_t size = work->flags & FIXED_SIZE ? work->size : *work->size_at;
    off_t file = work->flags & FIXED_FILE ? work->file_offset : *work->file_at;
    off_t memory = work->flags & FIXED_MEMORY ? work->memory_offset : *work->memory_at;
    ssize_t done = code ? -code : transfer(work->write, work->file, work->base, size, file, memory, false);
    /* An errno is lost on the way, as with cuFile. */
    *work->bytes = done < 0 && done > -5000 ? -1 : done;
    free(work);
}

static result queue(bool write, void *file, void *base, size_t *size, off_t *file_offset, off_t *memory_offset,
                    ssize_t *bytes, void *stream) {
    int code = called(write ? "cuFileWriteAsync" : "cuFileReadAsync");
    if (!code) code = not_ready();
    if (!code && !file_of(file)) code = HANDLE_NOT_REGISTERED;
    if (!code) code = bad_range(base, *memory_offset, *size);
    if (code) return failed(code);
    struct queued *work = malloc(sizeof *work);
    *work = (struct queued){write, flags_of(stream), file,           base,  *size, size, *file_offset,
                            file_offset, *memory_offset, memory_offset, bytes};
    code = ((int (*)(void *, void (*)(void *), void *))cuda("cuLaunchHostFunc"))(stream, run_queued, work);
    if (code) {
        free(work);
        return (result){5011, code};
    }
    return ok();
}

API result cuFileReadAsync(void *file, void *base, size_t *size, off_t *file_offset, off_t *memory_offset, ssize_t *bytes,
                           void *stream) {
    return queue(false, file, base, size, file_offset, memory_offset, bytes, stream);
}

API result cuFileWriteAsync(void *file, void *base, size_t *size, off_t *file_offset, off_t *memory_offset,
                            ssize_t *bytes, void *stream) {
    return queue(true, file, base, size, file_offset, memory_offset, bytes, stream);
}
