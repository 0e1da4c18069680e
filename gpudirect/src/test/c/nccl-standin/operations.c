/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What streams do: collectives, sends and receives, writes into windows. Each is a function of the host on its stream,
 * which waits for the other ranks.
 */
#include "standin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, GATHER, SCATTER };
enum { SEND, RECEIVE, PUT, SIGNAL, WAIT };
enum { MOST_PARTS = 64 };

/* One collective of one rank. */
struct collective {
    struct communicator *communicator;
    void *stream;
    struct post post;
    uint64_t number;
    const void *scalar_at;
    int scalar_type;
};

/* What one group does from rank to rank on one stream. */
struct bundle {
    struct communicator *communicator;
    void *stream;
    int parts;
    struct part {
        int what, peer, type, operations;
        uint64_t address, bytes, window, offset;
    } part[MOST_PARTS];
};

static uint64_t sent_elements(const struct post *post, int ranks) {
    bool all = post->what == REDUCE_SCATTER || post->what == ALL_TO_ALL || post->what == SCATTER;
    return post->count * (all ? (uint64_t)ranks : 1);
}

static uint64_t received_elements(const struct post *post, int ranks) {
    bool all = post->what == ALL_GATHER || post->what == ALL_TO_ALL || post->what == GATHER;
    return post->count * (all ? (uint64_t)ranks : 1);
}

static bool sends(const struct post *post, int rank) {
    return (post->what != BROADCAST && post->what != SCATTER) || post->root == rank;
}

static bool receives(const struct post *post, int rank) {
    return (post->what != REDUCE && post->what != GATHER) || post->root == rank;
}

/* With the lock: waits until each rank's number is as far. */
static bool await_all(struct communicator *communicator, const uint64_t *numbers, uint64_t number) {
    for (int i = 0; i < communicator->ranks; i++)
        while (numbers[i] < number)
            if (!clique_wait(communicator)) return false;
    return true;
}

static int read_of(struct communicator *communicator, int rank, void *into, uint64_t from, uint64_t count) {
    const struct post *post = &communicator->clique->posts[rank];
    size_t size = type_size(post->type);
    int code = copy_from(post->pid, into, post->send + from * size, count * size);
    if (!code && post->scaled) scale(into, count, post->type, post->scalar);
    return code;
}

static int reduce_all(struct communicator *communicator, const struct post *post, void *into, uint64_t from) {
    size_t bytes = post->count * type_size(post->type);
    void *other = malloc(bytes ? bytes : 1);
    int operation = post->operation < OPERATIONS ? post->operation : SUM;
    int code = read_of(communicator, 0, into, from, post->count);
    for (int rank = 1; rank < communicator->ranks && !code; rank++) {
        code = read_of(communicator, rank, other, from, post->count);
        if (!code) reduce(into, other, post->count, post->type, operation);
    }
    if (!code && operation == AVG) divide(into, post->count, post->type, communicator->ranks);
    free(other);
    return code;
}

static int compute(struct communicator *communicator, const struct post *post, char *into) {
    size_t block = post->count * type_size(post->type);
    int code = 0, me = communicator->rank;
    switch (post->what) {
    case ALL_REDUCE:
    case REDUCE: return reduce_all(communicator, post, into, 0);
    case REDUCE_SCATTER: return reduce_all(communicator, post, into, (uint64_t)me * post->count);
    case BROADCAST: return read_of(communicator, post->root, into, 0, post->count);
    case SCATTER: return read_of(communicator, post->root, into, (uint64_t)me * post->count, post->count);
    default:
        for (int rank = 0; rank < communicator->ranks && !code; rank++) {
            uint64_t from = post->what == ALL_TO_ALL ? (uint64_t)me * post->count : 0;
            code = read_of(communicator, rank, into + (size_t)rank * block, from, post->count);
        }
        return code;
    }
}

/* Ranks that call different functions hang with NCCL, or get nonsense. Here each gets an error. */
static bool agree(struct communicator *communicator, const struct post *mine) {
    for (int rank = 0; rank < communicator->ranks; rank++) {
        const struct post *post = &communicator->clique->posts[rank];
        if (post->what != mine->what || post->type != mine->type || post->count != mine->count ||
            post->root != mine->root || post->operation != mine->operation)
            return false;
    }
    return true;
}

static void meet(struct collective *work) {
    struct communicator *communicator = work->communicator;
    struct clique *clique = communicator->clique;
    struct post *post = &work->post;
    size_t bytes = received_elements(post, communicator->ranks) * type_size(post->type);
    if (work->scalar_at) post->scalar = value_of(work->scalar_at, work->scalar_type);
    clique_lock(clique);
    if (!await_all(communicator, clique->read, work->number - 1)) goto over;
    clique->posts[communicator->rank] = *post;
    clique->posted[communicator->rank] = work->number;
    clique_changed(clique);
    if (!await_all(communicator, clique->posted, work->number)) goto over;
    bool same = agree(communicator, post);
    clique_unlock(clique);
    void *result = malloc(bytes ? bytes : 1);
    int code = same ? receives(post, communicator->rank) ? compute(communicator, post, result) : 0 : INVALID_USAGE;
    clique_lock(clique);
    clique->read[communicator->rank] = work->number;
    clique_changed(clique);
    bool all = await_all(communicator, clique->read, work->number);
    if (all && code) communicator->async_error = code;
    if (settings.wrong && bytes) ((char *)result)[bytes - 1] ^= 0x40;
    if (all && !code && receives(post, communicator->rank) && !settings.forget)
        memcpy((void *)(uintptr_t)post->receive, result, bytes);
    free(result);
over:
    clique_unlock(clique);
}

static void run_collective(void *argument) {
    struct collective *work = argument;
    if (!work->communicator->aborted) meet(work);
    release(work->communicator);
    free(work);
}

/* Puts a function into a stream, for a communicator that stays until that is over. */
static int put(struct communicator *communicator, void *stream, void (*function)(void *), void *argument) {
    atomic_fetch_add(&communicator->queued, 1);
    void *before = NULL;
    ((int (*)(void **))cuda("cuCtxGetCurrent"))(&before);
    ((int (*)(void *))cuda("cuCtxSetCurrent"))(communicator->context);
    int code = ((int (*)(void *, void (*)(void *), void *))cuda("cuLaunchHostFunc"))(stream, function, argument);
    ((int (*)(void *))cuda("cuCtxSetCurrent"))(before);
    if (!code) return SUCCESS;
    release(communicator);
    free(argument);
    return fail(UNHANDLED_CUDA, "Cuda failure %d in cuLaunchHostFunc", code);
}

static int launch_collective(struct job *job) {
    struct collective *work = job->what;
    /* Only now: one of a group that is refused is none. */
    work->number = ++work->communicator->collectives;
    return put(work->communicator, work->stream, run_collective, work);
}

static int not_usable(struct communicator *communicator) {
    int code = bad_communicator(communicator);
    if (code) return code;
    if (communicator->job) return fail(INVALID_ARGUMENT, "Attempt to use communicator before the previous operation returned");
    if (communicator->aborted || communicator->finalized || communicator->suspended)
        return fail(INVALID_USAGE, "comm was revoked, finalized or suspended");
    return 0;
}

static int collective(const char *call, int what, const void *send, void *receive, uint64_t elements, int type,
                      int operation, int root, struct communicator *communicator, void *stream) {
    int code = called(call);
    if (!code) code = not_usable(communicator);
    if (!code && !type_size(type)) code = fail(INVALID_ARGUMENT, "datatype %d", type);
    bool user = !code && operation >= OPERATIONS && operation < OPERATIONS + MOST_OPERATORS &&
                communicator->operators[operation - OPERATIONS].used;
    if (!code && operation >= OPERATIONS && !user) code = fail(INVALID_ARGUMENT, "op %d", operation);
    if (!code && (root < 0 || root >= communicator->ranks)) code = fail(INVALID_ARGUMENT, "root %d", root);
    if (code) return code;
    struct post post = {.what = what, .type = type, .operation = operation, .root = root, .pid = getpid(),
                        .send = (uintptr_t)send, .receive = (uintptr_t)receive, .count = elements};
    if (sends(&post, communicator->rank))
        code = bad_range(send, sent_elements(&post, communicator->ranks) * type_size(type));
    if (!code && receives(&post, communicator->rank))
        code = bad_range(receive, received_elements(&post, communicator->ranks) * type_size(type));
    if (code || elements == 0) return code;
    struct collective *work = calloc(1, sizeof *work);
    *work = (struct collective){communicator, stream, post, 0, NULL, 0};
    if (user) {
        work->post.scaled = true;
        work->post.scalar = communicator->operators[operation - OPERATIONS].scalar;
        work->scalar_at = communicator->operators[operation - OPERATIONS].at;
        work->scalar_type = communicator->operators[operation - OPERATIONS].type;
    }
    struct job job = {.communicator = communicator, .poll = launch_collective, .what = work};
    /* With one rank NCCL copies at once, also in a group, and nothing is under way. */
    return communicator->ranks == 1 ? launch_collective(&job) : start(job);
}

API int ncclAllReduce(const void *send, void *receive, size_t n, int type, int op, struct communicator *c, void *s) {
    return collective("ncclAllReduce", ALL_REDUCE, send, receive, n, type, op, 0, c, s);
}

API int ncclReduce(const void *send, void *receive, size_t n, int type, int op, int root, struct communicator *c,
                   void *s) {
    return collective("ncclReduce", REDUCE, send, receive, n, type, op, root, c, s);
}

API int ncclBroadcast(const void *send, void *receive, size_t n, int type, int root, struct communicator *c, void *s) {
    return collective("ncclBroadcast", BROADCAST, send, receive, n, type, 0, root, c, s);
}

API int ncclAllGather(const void *send, void *receive, size_t n, int type, struct communicator *c, void *s) {
    return collective("ncclAllGather", ALL_GATHER, send, receive, n, type, 0, 0, c, s);
}

API int ncclReduceScatter(const void *send, void *receive, size_t n, int type, int op, struct communicator *c, void *s) {
    return collective("ncclReduceScatter", REDUCE_SCATTER, send, receive, n, type, op, 0, c, s);
}

API int ncclAlltoAll(const void *send, void *receive, size_t n, int type, struct communicator *c, void *s) {
    return collective("ncclAlltoAll", ALL_TO_ALL, send, receive, n, type, 0, 0, c, s);
}

API int ncclGather(const void *send, void *receive, size_t n, int type, int root, struct communicator *c, void *s) {
    return collective("ncclGather", GATHER, send, receive, n, type, 0, root, c, s);
}

API int ncclScatter(const void *send, void *receive, size_t n, int type, int root, struct communicator *c, void *s) {
    return collective("ncclScatter", SCATTER, send, receive, n, type, 0, root, c, s);
}

/* With the lock; false if this rank has aborted. */
static bool give(struct bundle *work, struct part *part, uint64_t *until) {
    struct communicator *communicator = work->communicator;
    struct lane *lane = &communicator->clique->lanes[communicator->rank][part->peer];
    while (lane->sent - lane->taken >= MOST_POSTS)
        if (!clique_wait(communicator)) return false;
    lane->parcels[lane->sent++ % MOST_POSTS] = (struct parcel){getpid(), part->address, part->bytes, part->type};
    *until = lane->sent;
    clique_changed(communicator->clique);
    return true;
}

static bool take(struct bundle *work, struct part *part) {
    struct communicator *communicator = work->communicator;
    struct lane *lane = &communicator->clique->lanes[part->peer][communicator->rank];
    while (lane->sent == lane->taken)
        if (!clique_wait(communicator)) return false;
    struct parcel parcel = lane->parcels[lane->taken % MOST_POSTS];
    clique_unlock(communicator->clique);
    int code = parcel.bytes == part->bytes && parcel.type == part->type
                   ? copy_from(parcel.pid, (void *)(uintptr_t)part->address, parcel.address, parcel.bytes)
                   : INVALID_USAGE;
    clique_lock(communicator->clique);
    if (code) communicator->async_error = code;
    lane->taken++;
    clique_changed(communicator->clique);
    return true;
}

static bool one_sided(struct bundle *work, struct part *part) {
    struct communicator *communicator = work->communicator;
    struct clique *clique = communicator->clique;
    int me = communicator->rank, peer = part->peer;
    if (part->what == WAIT) {
        while (clique->signals[peer][me] < clique->waited[peer][me] + (uint64_t)part->operations)
            if (!clique_wait(communicator)) return false;
        clique->waited[peer][me] += (uint64_t)part->operations;
        return true;
    }
    if (part->what == PUT) {
        if (part->offset + part->bytes > clique->window_sizes[part->window][peer]) communicator->async_error = REMOTE_ERROR;
        else if (copy_to(clique->pids[peer], clique->windows[part->window][peer] + part->offset,
                         (void *)(uintptr_t)part->address, part->bytes))
            communicator->async_error = REMOTE_ERROR;
    }
    clique->signals[me][peer]++;
    clique_changed(clique);
    return true;
}

static void exchange(struct bundle *work) {
    struct clique *clique = work->communicator->clique;
    uint64_t until[MOST_PARTS] = {0};
    bool on = true;
    clique_lock(clique);
    for (int i = 0; i < work->parts && on; i++)
        if (work->part[i].what == SEND) on = give(work, &work->part[i], &until[i]);
    for (int i = 0; i < work->parts && on; i++)
        if (work->part[i].what == RECEIVE) on = take(work, &work->part[i]);
    for (int i = 0; i < work->parts && on; i++)
        while (on && work->part[i].what == SEND &&
               clique->lanes[work->communicator->rank][work->part[i].peer].taken < until[i])
            on = clique_wait(work->communicator);
    for (int i = 0; i < work->parts && on; i++)
        if (work->part[i].what >= PUT) on = one_sided(work, &work->part[i]);
    clique_unlock(clique);
}

static void run_bundle(void *argument) {
    struct bundle *work = argument;
    if (!work->communicator->aborted) exchange(work);
    release(work->communicator);
    free(work);
}

static int launch_bundle(struct job *job) {
    struct bundle *work = job->what;
    return put(work->communicator, work->stream, run_bundle, work);
}

/* All of one group and one stream goes together: a send waits for its receive, which may be in the same group. */
static int add(struct part part, struct communicator *communicator, void *stream) {
    struct job *known = pending(communicator, launch_bundle);
    struct bundle *open = known ? known->what : NULL;
    if (open && open->stream == stream && open->parts < MOST_PARTS) {
        open->part[open->parts++] = part;
        return SUCCESS;
    }
    struct bundle *work = calloc(1, sizeof *work);
    *work = (struct bundle){.communicator = communicator, .stream = stream, .parts = 1};
    work->part[0] = part;
    return start((struct job){.communicator = communicator, .poll = launch_bundle, .what = work});
}

static int to_peer(const char *call, struct part part, size_t elements, struct communicator *communicator,
                   void *stream) {
    int code = called(call);
    if (!code) code = not_usable(communicator);
    if (!code && (part.peer < 0 || part.peer >= communicator->ranks)) code = fail(INVALID_ARGUMENT, "peer %d", part.peer);
    if (!code && !type_size(part.type)) code = fail(INVALID_ARGUMENT, "datatype %d", part.type);
    part.bytes = elements * type_size(part.type);
    if (!code) code = bad_range((void *)(uintptr_t)part.address, part.bytes);
    return code || (part.bytes == 0 && part.what <= RECEIVE) ? code : add(part, communicator, stream);
}

API int ncclSend(const void *from, size_t n, int type, int peer, struct communicator *c, void *stream) {
    return to_peer("ncclSend", (struct part){.what = SEND, .peer = peer, .type = type, .address = (uintptr_t)from}, n, c,
                   stream);
}

API int ncclRecv(void *to, size_t n, int type, int peer, struct communicator *c, void *stream) {
    return to_peer("ncclRecv", (struct part){.what = RECEIVE, .peer = peer, .type = type, .address = (uintptr_t)to}, n, c,
                   stream);
}

API int ncclPutSignal(const void *from, size_t n, int type, int peer, void *window, size_t offset, int signal, int context,
                      unsigned flags, struct communicator *c, void *stream) {
    if (signal || context || flags) return fail(INVALID_ARGUMENT, "sigIdx %d, ctx %d, flags %u", signal, context, flags);
    struct part part = {.what = PUT, .peer = peer, .type = type, .address = (uintptr_t)from,
                        .window = (uintptr_t)window - 1, .offset = offset};
    return to_peer("ncclPutSignal", part, n, c, stream);
}

API int ncclSignal(int peer, int signal, int context, unsigned flags, struct communicator *c, void *stream) {
    if (signal || context || flags) return fail(INVALID_ARGUMENT, "sigIdx %d, ctx %d, flags %u", signal, context, flags);
    return to_peer("ncclSignal", (struct part){.what = SIGNAL, .peer = peer}, 0, c, stream);
}

struct wait {
    int operations, peer, signal, context;
};

API int ncclWaitSignal(int n, struct wait *waits, struct communicator *c, void *stream) {
    int code = n > 0 ? 0 : fail(INVALID_ARGUMENT, "nDesc %d", n);
    for (int i = 0; i < n && !code; i++)
        code = to_peer("ncclWaitSignal",
                       (struct part){.what = WAIT, .peer = waits[i].peer, .operations = waits[i].operations}, 0, c, stream);
    return code;
}
