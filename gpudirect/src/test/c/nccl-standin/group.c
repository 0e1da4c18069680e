/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Groups, and the jobs that calls start. A job of a blocking communicator is done when the outermost group ends;
 * ncclCommGetAsyncError asks for the others.
 */
#include "standin.h"

#include <stdlib.h>
#include <unistd.h>

static _Thread_local int depth, group_error;
/* Of the open group, youngest first. */
static _Thread_local struct job *open_jobs;

static pthread_mutex_t progress = PTHREAD_MUTEX_INITIALIZER;

void group_failed(int code) {
    if (depth > 0 && code != IN_PROGRESS && !group_error) group_error = code;
}

struct job *pending(struct communicator *communicator, int (*poll)(struct job *)) {
    for (struct job *each = open_jobs; depth > 0 && each; each = each->next)
        if (each->communicator == communicator && each->poll == poll) return each;
    return NULL;
}

static int poll_one(struct job *job) {
    if (job->communicator && !job->communicator->blocking && job->polls-- > 0) return IN_PROGRESS;
    return job->poll(job);
}

/* Takes out what is done of a list; the first error, or IN_PROGRESS if something is left. */
static int poll_all(struct job **jobs) {
    int error = 0;
    for (struct job **each = jobs; *each;) {
        int outcome = poll_one(*each);
        if (outcome == IN_PROGRESS) {
            each = &(*each)->next;
            continue;
        }
        if (outcome && !error) error = outcome;
        struct job *gone = *each;
        *each = gone->next;
        free(gone);
    }
    return error ? error : *jobs ? IN_PROGRESS : SUCCESS;
}

static void drop(struct job *jobs) {
    while (jobs) {
        struct job *gone = jobs;
        jobs = gone->next;
        if (gone->undo) gone->undo(gone);
        else free(gone->what);
        free(gone);
    }
}

void drop_pending(struct communicator *communicator) {
    pthread_mutex_lock(&progress);
    struct job *jobs = communicator->job;
    communicator->job = NULL;
    pthread_mutex_unlock(&progress);
    drop(jobs);
}

static int run(struct job *jobs) {
    bool blocks = true;
    for (struct job *each = jobs; each; each = each->next)
        if (each->communicator && !each->communicator->blocking) blocks = false;
    if (!blocks) {
        pthread_mutex_lock(&progress);
        while (jobs) {
            struct job *each = jobs, **end = &each->communicator->job;
            jobs = each->next;
            each->next = NULL;
            each->polls = settings.polls;
            while (*end) end = &(*end)->next;
            *end = each;
        }
        pthread_mutex_unlock(&progress);
        return IN_PROGRESS;
    }
    int outcome, error = 0;
    while ((outcome = poll_all(&jobs)) != SUCCESS) {
        if (outcome != IN_PROGRESS && !error) error = outcome;
        if (jobs) usleep(200);
        else break;
    }
    return error;
}

int start(struct job job) {
    struct job *kept = malloc(sizeof *kept);
    *kept = job;
    kept->next = NULL;
    if (depth > 0) {
        kept->next = open_jobs;
        open_jobs = kept;
        return SUCCESS;
    }
    return run(kept);
}

int group_start(void) {
    depth++;
    return SUCCESS;
}

API int ncclGroupStart(void) {
    int code = called("ncclGroupStart");
    return code ? code : group_start();
}

static int end(int code) {
    if (depth == 0) return fail(INVALID_USAGE, "ncclGroupEnd: not in a group call");
    if (--depth > 0) return code;
    struct job *jobs = NULL;
    while (open_jobs) {
        struct job *each = open_jobs;
        open_jobs = each->next;
        each->next = jobs;
        jobs = each;
    }
    if (!code) code = group_error;
    group_error = 0;
    if (code) {
        drop(jobs);
        return code;
    }
    return run(jobs);
}

int group_end(void) { return end(0); }

API int ncclGroupEnd(void) { return end(called("ncclGroupEnd")); }

struct simulation {
    size_t size;
    unsigned magic, version;
    float estimated;
};

API int ncclGroupSimulateEnd(struct simulation *simulation) {
    int code = called("ncclGroupSimulateEnd");
    if (depth == 0) return fail(INVALID_USAGE, "ncclGroupSimulateEnd: not in a group call");
    /* As NCCL, which gives a group of communicators that do not block to a thread without the simulation. */
    for (struct job *each = open_jobs; each && !code; each = each->next)
        if (each->communicator && !each->communicator->blocking) return end(0);
    depth--;
    long jobs = 0;
    for (struct job *each = open_jobs; each; each = each->next) jobs++;
    drop(open_jobs);
    open_jobs = NULL;
    if (!code) code = group_error;
    group_error = 0;
    if (!code && (!simulation || simulation->magic != 0x74685283)) code = fail(INVALID_ARGUMENT, "no simInfo");
    if (!code) simulation->estimated = (float)jobs;
    return code;
}

API int ncclCommGetAsyncError(struct communicator *communicator, int *error) {
    int code = called("ncclCommGetAsyncError");
    if (!code) code = bad_communicator(communicator);
    if (code) return code;
    /* NCCL has threads for all of them; here whoever asks for one is the thread of all. */
    pthread_mutex_lock(&progress);
    for (struct communicator *each = communicators; each; each = each->next) {
        if (!each->alive || !each->job) continue;
        int outcome = poll_all(&each->job);
        if (outcome != SUCCESS && outcome != IN_PROGRESS) each->async_error = outcome;
    }
    pthread_mutex_unlock(&progress);
    *error = communicator->async_error;
    if (!*error && communicator->clique && communicator->clique->aborted) *error = REMOTE_ERROR;
    if (!*error && settings.async && (settings.async_rank < 0 || settings.async_rank == communicator->rank))
        *error = settings.async;
    if (!*error && communicator->job) *error = IN_PROGRESS;
    return SUCCESS;
}
