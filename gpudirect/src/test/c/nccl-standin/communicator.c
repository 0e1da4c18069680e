/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Communicators: how ranks meet, part and leave.
 */
#include "standin.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAGIC 0xcafebeef

struct communicator *communicators;
/* Ids that were made, and how many of them are forgotten: a number is not given twice, what was left of it may be there. */
static int made_ids, forgotten_ids;

int bad_communicator(struct communicator *communicator) {
    pthread_mutex_lock(&mutex);
    struct communicator *each = communicators;
    while (each && each != communicator) each = each->next;
    bool good = each && each->alive;
    pthread_mutex_unlock(&mutex);
    return good ? 0 : fail(INVALID_ARGUMENT, "comm %p is none, or was destroyed", (void *)communicator);
}

/* The device whose primary context is current, as CUDA's runtime would have it; -1 if there is none. */
static int current_device(void **context) {
    int count = 0;
    ((int (*)(void **))cuda("cuCtxGetCurrent"))(context);
    ((int (*)(int *))cuda("cuDeviceGetCount"))(&count);
    for (int device = 0; device < count && *context; device++) {
        unsigned flags;
        int active = 0;
        void *primary = NULL;
        ((int (*)(int, unsigned *, int *))cuda("cuDevicePrimaryCtxGetState"))(device, &flags, &active);
        if (!active || ((int (*)(void **, int))cuda("cuDevicePrimaryCtxRetain"))(&primary, device)) continue;
        ((int (*)(int))cuda("cuDevicePrimaryCtxRelease_v2"))(device);
        if (primary == *context) return device;
    }
    return -1;
}

static struct communicator *make(int ranks, int rank, int device, void *context, config *config) {
    struct communicator *made = calloc(1, sizeof *made);
    made->alive = true;
    made->ranks = ranks;
    made->rank = rank;
    made->device = device;
    made->context = context;
    made->blocking = !config || config->blocking != 0;
    made->queued = 1;
    pthread_mutex_lock(&mutex);
    made->next = communicators;
    communicators = made;
    pthread_mutex_unlock(&mutex);
    count("communicators", 1);
    return made;
}

static int bad_config(config *config) {
    return config && config->magic != MAGIC ? fail(INVALID_ARGUMENT, "config is not initialized") : 0;
}

/* Comes to the others; 0, or why not. */
static int join(struct communicator *communicator, bool make_it) {
    struct clique *clique = communicator->clique = clique_map(communicator->name, make_it);
    if (!clique) return fail(SYSTEM_ERROR, "no connection to the root of %s", communicator->name);
    clique_lock(clique);
    int code = 0;
    if (clique->ranks == 0) clique->ranks = communicator->ranks;
    if (clique->ranks != communicator->ranks)
        code = fail(INVALID_ARGUMENT, "nranks is %d here and %d elsewhere", communicator->ranks, clique->ranks);
    else if (clique->present[communicator->rank])
        code = fail(INVALID_ARGUMENT, "rank %d of %s is there twice", communicator->rank, communicator->name);
    for (int i = 0; i < communicator->ranks && !code; i++)
        if (clique->present[i] && clique->devices[i] == communicator->device)
            code = clique->failed = fail(INVALID_USAGE, "Duplicate GPU detected: rank %d and rank %d both on CUDA device %d",
                                         communicator->rank, i, communicator->device);
    if (!code) {
        clique->present[communicator->rank] = true;
        clique->pids[communicator->rank] = getpid();
        clique->devices[communicator->rank] = communicator->device;
        clique->joined++;
        clique_changed(clique);
    }
    clique_unlock(clique);
    return code;
}

static int poll_joined(struct job *job) {
    struct communicator *communicator = job->communicator;
    struct clique *clique = communicator->clique;
    if (communicator->aborted) return INVALID_USAGE;
    clique_lock(clique);
    int code = clique->failed ? clique->failed : clique->joined == clique->ranks ? SUCCESS : IN_PROGRESS;
    clique_unlock(clique);
    if (code == SUCCESS) clique_unlink(communicator->name);
    return code;
}

static int make_id(unique_id *id) {
    memset(id, 0, sizeof *id);
    pthread_mutex_lock(&mutex);
    int number = ++made_ids;
    pthread_mutex_unlock(&mutex);
    snprintf(id->internal, sizeof id->internal, "/nccl-standin-%d-%d", getpid(), number);
    struct clique *clique = clique_map(id->internal, true);
    if (!clique) return fail(SYSTEM_ERROR, "no shared memory");
    munmap(clique, sizeof *clique);
    return SUCCESS;
}

API int ncclGetUniqueId(unique_id *id) {
    int code = called("ncclGetUniqueId");
    return code ? code : make_id(id);
}

/* Names of ids that not all ranks came to. */
__attribute__((destructor)) static void forget_names(void) {
    char name[64];
    while (forgotten_ids < made_ids) {
        snprintf(name, sizeof name, "/nccl-standin-%d-%d", getpid(), ++forgotten_ids);
        clique_unlink(name);
    }
}

extern void write_log(void);

static int init(const char *call, struct communicator **result, int ranks, unique_id *id, int rank, config *config) {
    *result = NULL;
    int code = called(call);
    if (!code) code = bad_config(config);
    if (!code && (ranks < 1 || ranks > MOST_RANKS || rank < 0 || rank >= ranks))
        code = fail(INVALID_ARGUMENT, "rank %d of %d", rank, ranks);
    void *context = NULL;
    int device = code ? -1 : current_device(&context);
    if (!code && device < 0) code = fail(UNHANDLED_CUDA, "the current context is not the primary one of a device");
    if (code) return code;
    struct communicator *made = make(ranks, rank, device, context, config);
    snprintf(made->name, sizeof made->name, "%.90s", id->internal);
    code = join(made, false);
    if (code) {
        made->alive = false;
        count("communicators", -1);
        return code;
    }
    write_log();
    *result = made;
    return start((struct job){.communicator = made, .poll = poll_joined});
}

API int ncclCommInitRank(struct communicator **result, int ranks, unique_id id, int rank) {
    return init("ncclCommInitRank", result, ranks, &id, rank, NULL);
}

API int ncclCommInitRankConfig(struct communicator **result, int ranks, unique_id id, int rank, config *config) {
    return init("ncclCommInitRankConfig", result, ranks, &id, rank, config);
}

static void forget(struct communicator *communicator);

/* A communicator split from another one. As with NCCL, its handle exists only when it does. */
struct child {
    int colour, key, blocking;
    /* From the first look on: one of a group that is refused is none. */
    uint64_t number;
    struct communicator *made, **result;
};

static int blocking_of(struct communicator *parent, config *config) {
    return !config || config->blocking == (int)0x80000000 ? parent->blocking : config->blocking;
}

/* Is none after all. */
static void undo_child(struct job *job) {
    struct child *child = job->what;
    if (child->made) forget(child->made);
    free(child);
}

static int fail_child(struct job *job, int code) {
    undo_child(job);
    return code;
}

static int poll_made(struct job *job) {
    struct child *child = job->what;
    struct job joining = {.communicator = child->made};
    int code = poll_joined(&joining);
    if (code == IN_PROGRESS) return code;
    if (code) return fail_child(job, code);
    *child->result = child->made;
    free(child);
    return SUCCESS;
}

/* All say colour and key; then each knows who is of its colour. */
static int poll_split(struct job *job) {
    struct communicator *parent = job->communicator;
    struct clique *clique = parent->clique;
    struct child *split = job->what;
    int ranks = 0, rank = 0;
    if (parent->aborted) return fail_child(job, INVALID_USAGE);
    if (job->stage == 2) return poll_made(job);
    if (!split->number) split->number = ++parent->splits;
    clique_lock(clique);
    uint64_t number = split->number;
    bool all = true;
    for (int i = 0; i < parent->ranks; i++)
        if (job->stage == 0 ? clique->splits_read[i] + 1 < number : clique->splits[i] < number) all = false;
    if (all && job->stage == 0) {
        clique->colours[parent->rank] = split->colour;
        clique->keys[parent->rank] = split->key;
        clique->splits[parent->rank] = number;
        clique_changed(clique);
        job->stage = 1;
        all = false;
    } else if (all) {
        for (int i = 0; i < parent->ranks; i++) {
            if (clique->colours[i] != split->colour) continue;
            ranks++;
            if (clique->keys[i] < split->key || (clique->keys[i] == split->key && i < parent->rank)) rank++;
        }
        clique->splits_read[parent->rank] = number;
        clique_changed(clique);
    }
    clique_unlock(clique);
    if (!all) return IN_PROGRESS;
    if (split->colour < 0) {
        free(split);
        return SUCCESS;
    }
    split->made = make(ranks, rank, parent->device, parent->context, NULL);
    split->made->blocking = split->blocking;
    snprintf(split->made->name, sizeof split->made->name, "%.60s-s%d-%d", parent->name, (int)number, split->colour);
    job->stage = 2;
    int code = join(split->made, true);
    return code ? fail_child(job, code) : IN_PROGRESS;
}

API int ncclCommSplit(struct communicator *parent, int colour, int key, struct communicator **result, config *config) {
    *result = NULL;
    int code = called("ncclCommSplit");
    if (!code) code = bad_communicator(parent);
    if (!code) code = bad_config(config);
    if (!code && parent->job) code = fail(INVALID_ARGUMENT, "comm is used before the last call on it was over");
    if (!code && colour < -1) code = fail(INVALID_ARGUMENT, "color %d", colour);
    if (code) return code;
    struct child *split = calloc(1, sizeof *split);
    *split = (struct child){.colour = colour, .key = key, .blocking = blocking_of(parent, config), .result = result};
    return start((struct job){.communicator = parent, .poll = poll_split, .undo = undo_child, .what = split});
}

API int ncclCommShrink(struct communicator *parent, int *excluded, int excluded_count, struct communicator **result,
                       config *config, int flags) {
    *result = NULL;
    int code = called("ncclCommShrink");
    if (!code) code = bad_communicator(parent);
    if (!code) code = bad_config(config);
    if (!code && (excluded_count < 1 || excluded_count >= parent->ranks))
        code = fail(INVALID_ARGUMENT, "%d excluded ranks", excluded_count);
    if (code) return code;
    if (flags & 1) parent->aborted = 1;
    int rank = parent->rank;
    for (int i = 0; i < excluded_count; i++)
        if (excluded[i] < parent->rank) rank--;
    struct communicator *made = make(parent->ranks - excluded_count, rank, parent->device, parent->context, NULL);
    made->blocking = blocking_of(parent, config);
    snprintf(made->name, sizeof made->name, "%.60s-k%d", parent->name, (int)++parent->shrinks);
    code = join(made, true);
    if (code) {
        forget(made);
        return code;
    }
    struct child *child = calloc(1, sizeof *child);
    *child = (struct child){.made = made, .result = result};
    return start((struct job){.communicator = parent, .poll = poll_made, .undo = undo_child, .what = child});
}

API int ncclCommInitAll(struct communicator **result, int n, const int *devices) {
    int code = called("ncclCommInitAll"), count = 0;
    ((int (*)(int *))cuda("cuDeviceGetCount"))(&count);
    if (!code && (n < 1 || n > count)) code = fail(INVALID_USAGE, "%d devices, and there are %d", n, count);
    unique_id id;
    if (!code) code = make_id(&id);
    if (code) return code;
    void *before = NULL;
    ((int (*)(void **))cuda("cuCtxGetCurrent"))(&before);
    extern int group_start(void), group_end(void);
    group_start();
    for (int i = 0; i < n; i++) {
        void *primary = NULL;
        int device = devices ? devices[i] : i;
        ((int (*)(void **, int))cuda("cuDevicePrimaryCtxRetain"))(&primary, device);
        ((int (*)(void *))cuda("cuCtxSetCurrent"))(primary);
        init("init-all", &result[i], n, &id, i, NULL);
        ((int (*)(int))cuda("cuDevicePrimaryCtxRelease_v2"))(device);
    }
    ((int (*)(void *))cuda("cuCtxSetCurrent"))(before);
    return group_end();
}

static int poll_finalized(struct job *job) {
    struct communicator *communicator = job->communicator;
    struct clique *clique = communicator->clique;
    if (communicator->aborted) return INVALID_USAGE;
    clique_lock(clique);
    bool all = !settings.finalize_all || clique->finalized == clique->ranks;
    clique_unlock(clique);
    return all && communicator->queued == 1 ? SUCCESS : IN_PROGRESS;
}

API int ncclCommFinalize(struct communicator *communicator) {
    int code = called("ncclCommFinalize");
    if (!code) code = bad_communicator(communicator);
    if (!code && communicator->finalized) code = fail(INVALID_ARGUMENT, "comm is finalized already");
    if (code) return code;
    communicator->finalized = true;
    clique_lock(communicator->clique);
    communicator->clique->finalized++;
    clique_changed(communicator->clique);
    clique_unlock(communicator->clique);
    return start((struct job){.communicator = communicator, .poll = poll_finalized});
}

static void forget(struct communicator *communicator) {
    pthread_mutex_lock(&mutex);
    communicator->alive = false;
    pthread_mutex_unlock(&mutex);
    count("communicators", -1);
    if (communicator->clique && communicator->clique->joined < communicator->clique->ranks)
        clique_unlink(communicator->name);
    release(communicator);
}

API int ncclCommDestroy(struct communicator *communicator) {
    int code = called("ncclCommDestroy");
    int bad = bad_communicator(communicator);
    if (bad) return bad;
    struct job last = {.communicator = communicator};
    while (communicator->queued > 1 && !communicator->aborted) usleep(200);
    if (communicator->finalized)
        while (poll_finalized(&last) == IN_PROGRESS) usleep(200);
    forget(communicator);
    return code;
}

static void stop(struct communicator *communicator) {
    communicator->aborted = 1;
    if (communicator->clique) {
        clique_lock(communicator->clique);
        communicator->clique->aborted++;
        clique_changed(communicator->clique);
        clique_unlock(communicator->clique);
    }
}

API int ncclCommAbort(struct communicator *communicator) {
    int code = called("ncclCommAbort");
    int bad = bad_communicator(communicator);
    if (bad) return bad;
    stop(communicator);
    drop_pending(communicator);
    /* One of a split to which the others will not come. */
    if (communicator->name[0]) clique_unlink(communicator->name);
    forget(communicator);
    return code;
}

API int ncclCommRevoke(struct communicator *communicator, int flags) {
    int code = called("ncclCommRevoke");
    if (!code) code = bad_communicator(communicator);
    if (!code && flags) code = fail(INVALID_ARGUMENT, "revokeFlags %d", flags);
    if (code) return code;
    communicator->aborted = 1;
    return SUCCESS;
}

void standin_abort_all(void) {
    forget_names();
    for (struct communicator *each = communicators; each; each = each->next)
        if (each->alive) {
            stop(each);
            forget(each);
        }
}

#define ASK(function, pointer, value)                            \
    API int function(struct communicator *communicator, int *pointer) { \
        int code = called(#function);                            \
        if (!code) code = bad_communicator(communicator);        \
        if (!code) *pointer = value;                             \
        return code;                                             \
    }

ASK(ncclCommCount, ranks, communicator->ranks)
ASK(ncclCommCuDevice, device, communicator->device)
ASK(ncclCommUserRank, rank, communicator->rank)

API int ncclCommSuspend(struct communicator *communicator, int flags) {
    int code = called("ncclCommSuspend");
    if (!code) code = bad_communicator(communicator);
    if (!code && (flags != 1 || communicator->suspended)) code = fail(INVALID_USAGE, "flags %d", flags);
    if (!code) communicator->suspended = true;
    return code;
}

API int ncclCommResume(struct communicator *communicator) {
    int code = called("ncclCommResume");
    if (!code) code = bad_communicator(communicator);
    if (!code && !communicator->suspended) code = fail(INVALID_USAGE, "comm is not suspended");
    if (!code) communicator->suspended = false;
    return code;
}

API int ncclCommMemStats(struct communicator *communicator, int statistic, uint64_t *value) {
    int code = called("ncclCommMemStats");
    if (!code) code = bad_communicator(communicator);
    if (!code && (statistic < 0 || statistic > 3)) code = fail(INVALID_ARGUMENT, "stat %d", statistic);
    uint64_t values[] = {1 << 20, communicator->suspended, 1 << 16, (1 << 20) + (1 << 16)};
    if (!code) *value = values[statistic];
    return code;
}
