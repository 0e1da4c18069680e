/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the parts of the stand-in. The types are our own text of cuFile's binary interface; StructLayoutTest compares
 * the bindings with cuFile's header, and the tests run through both.
 */
#ifndef CUFILE_STANDIN_H
#define CUFILE_STANDIN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "calls.h"

#define API __attribute__((visibility("default")))

enum {
    DRIVER_NOT_INITIALIZED = 5001,
    DRIVER_INVALID_PROPS = 5002,
    IO_NOT_SUPPORTED = 5008,
    CUDA_POINTER_INVALID = 5012,
    CUDA_POINTER_RANGE_ERROR = 5014,
    INVALID_MAPPING_SIZE = 5016,
    INVALID_MAPPING_RANGE = 5017,
    INVALID_FILE_TYPE = 5018,
    DIO_NOT_SET = 5020,
    INVALID_VALUE = 5022,
    MEMORY_ALREADY_REGISTERED = 5023,
    MEMORY_NOT_REGISTERED = 5024,
    DRIVER_ALREADY_OPEN = 5026,
    HANDLE_NOT_REGISTERED = 5027,
    HANDLE_ALREADY_REGISTERED = 5028,
    BATCH_FULL = 5037,
    INVALID_CONTEXT_ERROR = 5047,
};

typedef struct {
    int err;
    int cu_err;
} result;

typedef struct {
    struct {
        unsigned major_version, minor_version;
        size_t poll_thresh_size, max_direct_io_size;
        unsigned dstatusflags, dcontrolflags;
    } nvfs;
    unsigned fflags, max_device_cache_size, per_buffer_cache_size, max_device_pinned_mem_size, max_batch_io_size,
        max_batch_io_timeout_msecs;
} properties;

typedef struct {
    int type;
    union {
        int fd;
        void *handle;
    } handle;
    const void *operations;
} description;

typedef struct {
    int mode;
    struct {
        void *base;
        off_t file_offset, memory_offset;
        size_t size;
    } batch;
    void *file;
    int opcode;
    void *cookie;
} io_params;

typedef struct {
    void *cookie;
    int status;
    size_t ret;
} io_event;

struct settings {
    int open, module, supported, compat, odirect, forget;
    long short_io;
    char blocked[40];
};

struct file {
    struct file *next;
    int registered_fd, fd;
};

extern struct settings settings;
extern pthread_mutex_t mutex;

/* Counts a call; the code that it is to fail with, or 0. */
int called(const char *call);
result ok(void);
result failed(int code);
/* 0, or why a call cannot be made now: the driver is not open, no context is current. */
int not_ready(void);
/* 0, or why a range is none of device memory, or leaves what is registered. */
int bad_range(const void *base, off_t offset, size_t size);
struct file *file_of(void *handle);
void count_streams(int more);
void count_batches(int more);
/* Bytes, or a negative errno or status. By CUDA's copies, or, in a function of a stream, which may not call CUDA, by the
 * processor. */
ssize_t transfer(bool write, void *file, void *base, size_t size, off_t file_offset, off_t memory_offset, bool by_cuda);
#endif
