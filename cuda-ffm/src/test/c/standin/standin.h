/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the stand-in share. One lock guards all state; it is never held while memory is copied, a callback runs
 * or a wait lasts. Functions marked "locked" are called with it held.
 */
#ifndef STANDIN_H
#define STANDIN_H

#include "types.h"

/* The library exports the functions of the driver and of control.c. */
#pragma GCC visibility push(default)
#include "functions.h"
#pragma GCC visibility pop

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))
#define MAX_DEVICES 16
#define MAX_ATTRIBUTE 160
#define PAGE ((size_t)4096)

enum function {
#define F(name, since, symbol) FN_##symbol,
#include "functions.def"
#undef F
    FN_COUNT
};

/* ---- control.c: settings, counters, and calls that are made to fail ---- */

struct settings {
    int devices;
    int driver_version;
    CUresult init;
    size_t memory;
    /* Whether an adapter can register device memory by its address, as with nvidia_peermem: else the pages are out of reach. */
    bool peer_memory;
    /* Whether devices reach the memory of each other. */
    bool peers;
    enum { DMABUF_NONE, DMABUF_AUTO, DMABUF_UDMABUF, DMABUF_MEMFD } dmabuf;
    long copy_delay_us, copy_delay_us_per_mib;
    /* Whether copies and fills move nothing yet. */
    atomic_bool hold;
    /* Whether what a stream is given is done before the call returns. */
    bool at_once;
    int capability;
};
extern struct settings standin_settings;

struct counters {
    atomic_long bytes_htod, bytes_dtoh, bytes_dtod, bytes_peer, copies_pageable, kernels, callbacks, flushes, stream_flushes, exports, exports_pcie;
    atomic_long allocations, host_allocations, registrations, reservations, handles, used, streams, events, contexts, modules, graphs, threads;
};
extern struct counters standin_counters;

/* The begin of every function: counts it, and gives the result that it must return at once. */
CUresult standin_enter(enum function function);
/* Whether an operation of this function is to fail when its turn comes in the stream. */
CUresult standin_fault(enum function function);
bool standin_is_missing(enum function function);
const char *standin_function_name(enum function function);
/* The value that a setting gives to a device's attribute. */
bool standin_attribute_is_set(int device, int attribute, int *value);

#define CALL(symbol)                                                                                                              \
    do {                                                                                                                          \
        CUresult entered = standin_enter(FN_##symbol);                                                                            \
        if (entered != CUDA_SUCCESS)                                                                                              \
            return entered;                                                                                                       \
    } while (0)

void standin_lock(void);
void standin_unlock(void *unused);
/* Holds the lock until the block ends. */
#define LOCKED __attribute__((cleanup(standin_unlock), unused)) int guard = (standin_lock(), 0)
/* Waits for progress of any kind; locked. */
void standin_wait(void);
/* The same, but not for long: for what another process may bring about. */
void standin_wait_briefly(void);
/* The same as standin_wait, for a condition of one's own. */
void standin_sleep(pthread_cond_t *condition);
/* Wakes the waiting threads; locked. */
void standin_progress(void);

/* ---- objects.c: handles that are recognised, live or not ---- */

enum kind { CONTEXT, STREAM, EVENT, MODULE, FUNCTION, HANDLE, GRAPH, NODE, EXECUTABLE, KINDS };
/* All locked. A new object is zeroed; the address of a deleted one is not used again soon. */
void *standin_new(enum kind kind);
bool standin_is(enum kind kind, const void *object);
void standin_delete(enum kind kind, void *object);
/* The next live object behind this one, NULL for the first. */
void *standin_next(enum kind kind, const void *object);

/* ---- device.c ---- */

bool standin_is_initialised(void);
void standin_uninitialise(void);
int standin_device_count(void);
int standin_device_attribute(int device, int attribute);

/* ---- context.c ---- */

struct CUctx_st {
    int device;
    unsigned flags;
    bool primary;
    int retained;
    /* What a fault in a stream left: every call says it from then on. */
    _Atomic(CUresult) sticky;
    CUstream null_stream;
    unsigned peers;
};

/* The thread's context, or the error that a call without one gets. */
CUresult standin_current(CUcontext *context);
#define CURRENT(context)                                                                                                          \
    CUcontext context;                                                                                                            \
    do {                                                                                                                          \
        CUresult without = standin_current(&context);                                                                             \
        if (without != CUDA_SUCCESS)                                                                                              \
            return without;                                                                                                       \
    } while (0)
/* Destroys all contexts; locked. */
void standin_destroy_contexts(void);

/* ---- memory.c: every range of memory that the driver knows ---- */

enum memory { DEVICE_MEMORY, POOL_MEMORY, MANAGED_MEMORY, VIRTUAL_MEMORY, IPC_MEMORY, HOST_MEMORY, REGISTERED_MEMORY };

struct range {
    CUdeviceptr base;
    /* As asked for, and what it takes. */
    size_t size, length;
    enum memory memory;
    int device;
    CUcontext context;
    uint64_t id;
    unsigned flags;
    bool sync_memops;
    bool freeing;
    /* Where the driver itself reaches it: device memory may be out of the host's reach. */
    char *reach;
    /* DEVICE, POOL: the place in the device's memory. VIRTUAL: the place of its handle. */
    size_t offset;
    struct handle *handle;
    CUmemAccess_flags access;
    int opened;
    CUipcMemHandle ipc;
};

/* The range with this address in it, or NULL; locked. */
struct range *standin_find(CUdeviceptr address);
/* The range behind this one, or NULL; locked. */
struct range *standin_range_after(const struct range *range);
struct range *standin_range_add(CUdeviceptr base, size_t size, size_t length, enum memory memory);
void standin_range_remove(struct range *range);
/* Where the driver reaches length bytes from address on, or NULL when that is not (all) memory of its own; locked. */
char *standin_reach(CUdeviceptr address, size_t length);
/* Whether a copy from or to there runs behind the caller's back: all that lies in memory the driver knows; locked. */
bool standin_is_pinned(const void *address, size_t length);
/* Allocates device memory; locked. */
CUresult standin_allocate(CUcontext context, size_t size, enum memory memory, CUdeviceptr *pointer);
/* Frees a range of any kind; locked. */
void standin_free(struct range *range);
void standin_free_all(CUcontext context);
/* Shows or hides what the adapter may reach, after the setting changed; locked. */
void standin_protect_all(void);

/* ---- backing.c: a device's memory is a file without a name, which the driver sees as a whole ---- */

/* All locked. */
bool standin_back(int device);
int standin_backing_file(int device);
char *standin_backing(int device);
CUdeviceptr standin_device_base(int device);
/* A place for length bytes, or false. */
bool standin_place(int device, size_t length, size_t alignment, size_t *offset);
void standin_displace(int device, size_t offset);
/* Lets the host, and with it the adapter, reach the pages of a place at its linear address, or not. */
void standin_show(int device, size_t offset, size_t length, bool visible);
size_t standin_used(int device);

/* ---- vmm.c ---- */

struct part {
    CUdeviceptr base;
    size_t size;
};

/* The reserved addresses that a pointer is one of; locked. */
struct part standin_reservation(CUdeviceptr pointer);

struct handle {
    CUmemAllocationProp properties;
    size_t offset, size;
    int mappings;
    bool released;
};

void standin_virtual_reset(void);
/* Shows or hides the pages of all mappings; all three locked. */
void standin_virtual_protect(void);
void standin_virtual_unmap(struct range *range);

/* ---- stream.c: each has a thread, which does one operation after the other ---- */

struct operation {
    struct operation *next;
    enum function function;
    CUstream stream;
    uint64_t number;
    CUresult (*run)(struct operation *);
    CUdeviceptr to, from;
    size_t length;
    uint64_t value;
    unsigned flags;
    CUevent event;
    struct progress *progress;
    const struct kernel *kernel;
    uint64_t parameters[6];
    CUhostFn callback;
    void *data;
    atomic_long *counter;
};

struct CUstream_st {
    CUcontext context;
    unsigned flags;
    int priority;
    bool null, closing, started;
    atomic_bool giving_up;
    pthread_cond_t wake;
    /* Takes its operations while they are captured, or NULL. */
    CUgraph capture;
    /* How many of them there are, and after how many of them another stream of the capture goes on. */
    uint64_t captured, joined;
    /* The one that runs is still the first. */
    struct operation *first, *last;
};

/* The stream that a handle names, where 0, 1 and 2 are those that need not be created; locked. */
CUresult standin_stream(CUstream handle, CUcontext context, CUstream *stream);
/* Puts a copy of the operation behind what is in the stream; locked. */
CUresult standin_enqueue(CUstream stream, const struct operation *operation);
/* Waits until what was put there so far is done, and returns what went wrong in the context; locked. */
CUresult standin_drain(CUstream stream);
CUresult standin_drain_context(CUcontext context);
CUresult standin_drain_device(int device);
/* Does it on the context's null stream, and returns when it is done; locked. */
CUresult standin_do(CUcontext context, struct operation *operation);
/* Whether it is to wait no longer, because its context goes; locked or not. */
bool standin_gives_up(const struct operation *operation);
void standin_stop_streams(CUcontext context);
/* In a callback, which may not call the driver. */
bool standin_in_callback(void);

/* ---- memops.c ---- */

#define MAX_BATCH 255
/* The operations of a batch; locked. */
CUresult standin_batch(const CUstreamBatchMemOpParams *array, unsigned count, unsigned flags, int device, enum function function,
                       struct operation *operations);

/* ---- graph.c ---- */

/* Of an executable graph: its launches are done one after the other. */
struct progress {
    uint64_t launched, done;
    /* The executable graph, and each launch under way. */
    int users;
};
/* Puts a copy of the operation behind those that were captured so far; locked. */
CUresult standin_capture(CUgraph graph, const struct operation *operation);
/* Lets a stream be captured into the same graph, as it waits for what was captured there; locked. */
void standin_capture_too(CUstream stream, CUgraph graph);
/* Whether a capture of this or another thread forbids the call, which also spoils the capture; locked. */
bool standin_spoils_capture(enum function function);
/* Whether the stream is being captured: it cannot be asked or waited for then, in whatever mode, and who tries spoils the
   capture; locked. */
bool standin_spoils_own_capture(CUstream stream);
/* The graph into which an event was recorded, if that is still being captured; locked. */
uint64_t standin_capture_number(CUgraph graph);
bool standin_is_captured(CUgraph graph, uint64_t capture);
void standin_graphs_reset(void);
size_t standin_graph_object_size(enum kind kind);

/* ---- event.c ---- */

/* How often an event was recorded, and up to which record all is done. */
struct passage {
    atomic_ullong recorded, done;
};

struct CUevent_st {
    CUcontext context;
    unsigned flags;
    /* Its own, or in a file that other processes also map. */
    struct passage *passage, own;
    int file;
    /* The graph that it was recorded into last, or NULL, and which capture of it that was. */
    CUgraph capture;
    uint64_t capture_number;
    /* Of the stream then. */
    CUstream capture_stream;
    uint64_t captured;
    double when_ms;
};
/* A new event; one for other processes lies in the file, which is then the event's. NULL when there is no memory for it; locked. */
CUevent standin_event(CUcontext context, unsigned flags, int file);
/* Destroys a context's events; locked. */
void standin_events_of(CUcontext context);

/* ---- module.c, kernels.c ---- */

struct CUmod_st {
    CUcontext context;
    char *text;
    struct global {
        struct global *next;
        char name[128];
        CUdeviceptr address;
        size_t size;
    } *globals;
};

struct CUfunc_st {
    CUmodule module;
    char name[128];
    int max_dynamic_shared;
};

/* A kernel that the stand-in can play. */
struct kernel {
    const char *name;
    int parameters;
    unsigned char sizes[6];
    /* threads: how many there are in all. */
    CUresult (*run)(const uint64_t *parameters, uint64_t threads);
};
const struct kernel *standin_kernel(const char *name);
/* Unloads a context's modules; locked. */
void standin_unload_all(CUcontext context);

#endif
