/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the parts of the stand-in. Types are our own text of NCCL's binary interface; StructLayoutTest compares the
 * bindings with NCCL's header, and the tests run through both.
 */
#ifndef NCCL_STANDIN_H
#define NCCL_STANDIN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "calls.h"

#define API __attribute__((visibility("default")))

enum {
    SUCCESS = 0,
    UNHANDLED_CUDA = 1,
    SYSTEM_ERROR = 2,
    INTERNAL_ERROR = 3,
    INVALID_ARGUMENT = 4,
    INVALID_USAGE = 5,
    REMOTE_ERROR = 6,
    IN_PROGRESS = 7,
};
enum { INT8, UINT8, INT32, UINT32, INT64, UINT64, FLOAT16, FLOAT32, FLOAT64, BFLOAT16, FLOAT8E4M3, FLOAT8E5M2, TYPES };
enum { SUM, PROD, MAX, MIN, AVG, OPERATIONS };
enum { MOST_RANKS = 16, MOST_OPERATORS = 8, MOST_POSTS = 16, MOST_WINDOWS = 8 };

typedef struct {
    char internal[128];
} unique_id;

typedef struct {
    size_t size;
    unsigned magic, version;
    int blocking;
    /* Later fields are ignored. */
} config;

/* What one rank brings to an operation that all take part in. */
struct post {
    pid_t pid;
    int what, type, operation, root;
    uint64_t send, receive, count;
    double scalar;
    bool scaled;
};

/* What one rank sends to another: in order, taken one by one. */
struct parcel {
    pid_t pid;
    uint64_t address, bytes;
    int type;
};

struct lane {
    uint64_t sent, taken;
    struct parcel parcels[MOST_POSTS];
};

/* Shared by all ranks of a communicator, threads or processes. */
struct clique {
    _Atomic int ready;
    int ranks, joined, finalized, aborted, failed;
    bool present[MOST_RANKS];
    int devices[MOST_RANKS];
    pid_t pids[MOST_RANKS];
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    /* The collective under way: the ranks that have posted, the ranks that have read the others, and its number. */
    struct post posts[MOST_RANKS];
    uint64_t posted[MOST_RANKS], read[MOST_RANKS];
    /* Splits: colours and keys, which split it is. */
    int colours[MOST_RANKS], keys[MOST_RANKS];
    uint64_t splits[MOST_RANKS], splits_read[MOST_RANKS];
    struct lane lanes[MOST_RANKS][MOST_RANKS];
    /* Windows: where each rank's part lies; signals: how many came, and how many were waited for. */
    uint64_t windows[MOST_WINDOWS][MOST_RANKS], window_sizes[MOST_WINDOWS][MOST_RANKS];
    uint64_t window_count[MOST_RANKS];
    uint64_t signals[MOST_RANKS][MOST_RANKS], waited[MOST_RANKS][MOST_RANKS];
};

struct job;

struct communicator {
    bool alive;
    struct clique *clique;
    char name[96];
    int ranks, rank, device, blocking;
    void *context;
    _Atomic int aborted;
    _Atomic int async_error;
    /* What is under way of a communicator that does not block. */
    struct job *job;
    bool finalized, suspended;
    uint64_t splits, shrinks, collectives, windows;
    struct {
        bool used;
        double scalar;
        const void *at;
        int type;
    } operators[MOST_OPERATORS];
    /* Work on streams; with it the clique stays mapped. */
    _Atomic long queued;
    struct communicator *next;
};

/* What a call starts, and what may not be over when it returns. */
struct job {
    struct job *next;
    struct communicator *communicator;
    /* SUCCESS, an error, or IN_PROGRESS: to be asked again. */
    int (*poll)(struct job *);
    /* Frees what it is about, where it comes to nothing; NULL where that is memory alone. */
    void (*undo)(struct job *);
    long polls;
    int stage;
    void *what;
};

struct settings {
    int version, async, async_rank, finalize_all;
    long polls, forget, wrong;
    char log[256];
};

extern struct settings settings;
extern pthread_mutex_t mutex;
extern struct communicator *communicators;

/* Counts a call; the code that it is to fail with, or 0. */
int called(const char *call);
/* Keeps the text for ncclGetLastError, and gives the code back; the call of a group remembers it. */
int fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
void count(const char *what, long more);
/* 0, or why these bytes are none of device memory. */
int bad_range(const void *base, uint64_t bytes);
int bad_communicator(struct communicator *communicator);

/* Starts now, or at the end of the group. Takes the job. */
int start(struct job job);
/* What is under way of a communicator that does not block comes to nothing. */
void drop_pending(struct communicator *communicator);
/* The job of the open group that does this, for this communicator; NULL if there is none. */
struct job *pending(struct communicator *communicator, int (*poll)(struct job *));

/* The memory that all ranks share; made if it is not there and may be made. */
struct clique *clique_map(const char *name, bool make);
void clique_unlink(const char *name);
void clique_lock(struct clique *clique);
void clique_unlock(struct clique *clique);
/* With the lock: waits for a change or some milliseconds. False when this rank has aborted. */
bool clique_wait(struct communicator *communicator);
void clique_changed(struct clique *clique);
/* The communicator is gone, or a work of it: what is left is freed with the last. */
void release(struct communicator *communicator);
int copy_from(pid_t pid, void *to, uint64_t from, uint64_t bytes);
int copy_to(pid_t pid, uint64_t to, const void *from, uint64_t bytes);

size_t type_size(int type);
void reduce(void *into, const void *with, uint64_t count, int type, int operation);
void scale(void *values, uint64_t count, int type, double factor);
void divide(void *values, uint64_t count, int type, int by);
double value_of(const void *at, int type);

#endif
