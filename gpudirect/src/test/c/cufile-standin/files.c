/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The driver, files, registered memory, and reads and writes that wait.
 */
#include "standin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_PINNED_KIB (1u << 20)

struct buffer {
    struct buffer *next;
    const void *base;
    size_t length;
};

static struct file *files;
static struct buffer *buffers;
static long opened;
static unsigned poll_threshold_kib = 4, direct_kib = 16384, cache_kib = 131072, pinned_kib = MOST_PINNED_KIB;
static bool polls;

long standin_files(void) {
    long n = 0;
    for (struct file *each = files; each; each = each->next) n++;
    return n;
}

long standin_buffers(void) {
    long n = 0;
    for (struct buffer *each = buffers; each; each = each->next) n++;
    return n;
}

long standin_opened(void) { return opened; }

void standin_forget(void) {
    while (files) {
        struct file *gone = files;
        files = gone->next;
        close(gone->fd);
        free(gone);
    }
    while (buffers) {
        struct buffer *gone = buffers;
        buffers = gone->next;
        free(gone);
    }
    opened = 0;
    polls = false;
    poll_threshold_kib = 4, direct_kib = 16384, cache_kib = 131072, pinned_kib = MOST_PINNED_KIB;
}

int not_ready(void) {
    pthread_mutex_lock(&mutex);
    bool open = opened > 0;
    pthread_mutex_unlock(&mutex);
    if (!open) return DRIVER_NOT_INITIALIZED;
    int (*get_current)(void **) = (int (*)(void **))cuda("cuCtxGetCurrent");
    void *context = NULL;
    return get_current(&context) || !context ? INVALID_CONTEXT_ERROR : 0;
}

API result cuFileGetVersion(int *version) {
    int code = called("cuFileGetVersion");
    if (code) return failed(code);
    *version = 1150;
    return ok();
}

API result cuFileDriverOpen(void) {
    int code = called("cuFileDriverOpen");
    if (!code) code = settings.open;
    if (code && code != DRIVER_ALREADY_OPEN) return failed(code);
    pthread_mutex_lock(&mutex);
    opened++;
    pthread_mutex_unlock(&mutex);
    return failed(code);
}

API result cuFileDriverClose_v2(void) {
    int code = called("cuFileDriverClose");
    pthread_mutex_lock(&mutex);
    if (opened > 0) opened--;
    pthread_mutex_unlock(&mutex);
    return code ? failed(code) : ok();
}

API result cuFileDriverClose(void) { return cuFileDriverClose_v2(); }

API result cuFileDriverGetProperties(properties *all) {
    int code = called("cuFileDriverGetProperties");
    if (!code) code = not_ready();
    if (code) return failed(code);
    *all = (properties){
        .nvfs = {.major_version = (unsigned)settings.module / 100,
                 .minor_version = (unsigned)settings.module % 100,
                 .poll_thresh_size = poll_threshold_kib,
                 .max_direct_io_size = direct_kib,
                 .dstatusflags = (unsigned)settings.supported,
                 .dcontrolflags = (unsigned)(settings.compat ? 2 : 0) | (polls ? 1 : 0)},
        .max_device_cache_size = cache_kib,
        .per_buffer_cache_size = 1024,
        .max_device_pinned_mem_size = pinned_kib,
        .max_batch_io_size = 128,
        .max_batch_io_timeout_msecs = 0};
    return ok();
}

static result set_kib(const char *call, unsigned *value, size_t kib) {
    int code = called(call);
    if (!code) code = not_ready();
    if (!code && (kib == 0 || kib % 4)) code = DRIVER_INVALID_PROPS;
    if (code) return failed(code);
    *value = (unsigned)kib;
    return ok();
}

API result cuFileDriverSetPollMode(bool poll, size_t kib) {
    result outcome = set_kib("cuFileDriverSetPollMode", &poll_threshold_kib, kib);
    if (!outcome.err) polls = poll;
    return outcome;
}

API result cuFileDriverSetMaxDirectIOSize(size_t kib) {
    return set_kib("cuFileDriverSetMaxDirectIOSize", &direct_kib, kib);
}

API result cuFileDriverSetMaxCacheSize(size_t kib) { return set_kib("cuFileDriverSetMaxCacheSize", &cache_kib, kib); }

API result cuFileDriverSetMaxPinnedMemSize(size_t kib) {
    return set_kib("cuFileDriverSetMaxPinnedMemSize", &pinned_kib, kib);
}

/* 0, or what cuFile says of such a file. */
static int refusal_of(int fd) {
    struct stat facts;
    if (fstat(fd, &facts)) return INVALID_VALUE;
    if (!S_ISREG(facts.st_mode)) return INVALID_FILE_TYPE;
    if (settings.odirect && !(fcntl(fd, F_GETFL) & O_DIRECT)) return DIO_NOT_SET;
    return !settings.compat && !settings.supported ? IO_NOT_SUPPORTED : 0;
}

API result cuFileHandleRegister(void **handle, description *what) {
    int code = called("cuFileHandleRegister");
    if (!code) code = not_ready();
    if (!code && what->type != 1) code = INVALID_VALUE;
    if (!code) code = refusal_of(what->handle.fd);
    if (code) return failed(code);
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", what->handle.fd);
    int fd = open(link, (fcntl(what->handle.fd, F_GETFL) & O_ACCMODE) | O_CLOEXEC);
    if (fd < 0) return failed(INVALID_VALUE);
    struct file *made = malloc(sizeof *made);
    pthread_mutex_lock(&mutex);
    for (struct file *each = files; each; each = each->next)
        if (each->registered_fd == what->handle.fd) code = HANDLE_ALREADY_REGISTERED;
    if (!code) {
        *made = (struct file){files, what->handle.fd, fd};
        files = made;
    }
    pthread_mutex_unlock(&mutex);
    if (code) {
        close(fd);
        free(made);
        return failed(code);
    }
    *handle = made;
    return ok();
}

struct file *file_of(void *handle) {
    pthread_mutex_lock(&mutex);
    struct file *found = NULL;
    for (struct file *each = files; each; each = each->next)
        if (each == handle) found = each;
    pthread_mutex_unlock(&mutex);
    return found;
}

API void cuFileHandleDeregister(void *handle) {
    called("cuFileHandleDeregister");
    pthread_mutex_lock(&mutex);
    for (struct file **each = &files; *each; each = &(*each)->next)
        if (*each == handle) {
            struct file *gone = *each;
            *each = gone->next;
            close(gone->fd);
            free(gone);
            break;
        }
    pthread_mutex_unlock(&mutex);
}

/* 0, or the error of a range of memory, from CUDA's attributes of it. */
static int bad_memory(const void *base, off_t offset, size_t size) {
    int (*get_range)(uint64_t *, size_t *, uint64_t) =
        (int (*)(uint64_t *, size_t *, uint64_t))cuda("cuMemGetAddressRange_v2");
    uint64_t start;
    size_t length;
    if (get_range(&start, &length, (uint64_t)(uintptr_t)base)) return CUDA_POINTER_INVALID;
    uint64_t from = (uint64_t)(uintptr_t)base + (uint64_t)offset;
    return from < start || from + size > start + length ? CUDA_POINTER_RANGE_ERROR : 0;
}

int bad_range(const void *base, off_t offset, size_t size) {
    if (offset < 0) return INVALID_VALUE;
    int code = bad_memory(base, offset, size);
    pthread_mutex_lock(&mutex);
    for (struct buffer *each = buffers; each && !code; each = each->next)
        if (each->base == base && (size_t)offset + size > each->length) code = INVALID_MAPPING_RANGE;
    pthread_mutex_unlock(&mutex);
    return code;
}

API result cuFileBufRegister(const void *base, size_t length, int flags) {
    int code = called("cuFileBufRegister");
    if (!code) code = not_ready();
    if (!code && (flags || !length)) code = INVALID_VALUE;
    if (!code) code = bad_memory(base, 0, length);
    if (!code && length > (size_t)pinned_kib << 10) code = INVALID_MAPPING_SIZE;
    pthread_mutex_lock(&mutex);
    for (struct buffer *each = buffers; each && !code; each = each->next)
        if (each->base == base) code = MEMORY_ALREADY_REGISTERED;
    if (!code) {
        struct buffer *made = malloc(sizeof *made);
        *made = (struct buffer){buffers, base, length};
        buffers = made;
    }
    pthread_mutex_unlock(&mutex);
    return code ? failed(code) : ok();
}

API result cuFileBufDeregister(const void *base) {
    int code = called("cuFileBufDeregister");
    pthread_mutex_lock(&mutex);
    bool found = false;
    for (struct buffer **each = &buffers; *each; each = &(*each)->next)
        if ((*each)->base == base) {
            struct buffer *gone = *each;
            *each = gone->next;
            free(gone);
            found = true;
            break;
        }
    pthread_mutex_unlock(&mutex);
    if (!code && !found) code = MEMORY_NOT_REGISTERED;
    return code ? failed(code) : ok();
}

static int copy(bool to_device, void *device, void *host, size_t size, bool by_cuda) {
    if (!by_cuda) {
        memcpy(to_device ? device : host, to_device ? host : device, size);
        return 0;
    }
    if (to_device) return ((int (*)(uint64_t, const void *, size_t))cuda("cuMemcpyHtoD_v2"))((uintptr_t)device, host, size);
    return ((int (*)(void *, uint64_t, size_t))cuda("cuMemcpyDtoH_v2"))(host, (uintptr_t)device, size);
}

ssize_t transfer(bool write, void *handle, void *base, size_t size, off_t file_offset, off_t memory_offset, bool by_cuda) {
    struct file *file = file_of(handle);
    if (!file) return -HANDLE_NOT_REGISTERED;
    if (file_offset < 0) return -INVALID_VALUE;
    if (settings.short_io && size > (size_t)settings.short_io) size = (size_t)settings.short_io;
    char *host = malloc(size ? size : 1);
    char *device = (char *)base + memory_offset;
    ssize_t done = 0;
    if (write) {
        int code = copy(false, device, host, size, by_cuda);
        done = code ? -5011 : pwrite(file->fd, host, size, file_offset);
        if (!code && done < 0) done = -errno;
    } else {
        done = pread(file->fd, host, size, file_offset);
        if (done < 0) done = -errno;
        else if (!settings.forget && copy(true, device, host, (size_t)done, by_cuda)) done = -5011;
    }
    free(host);
    return done;
}

static ssize_t waiting(bool write, void *file, void *base, size_t size, off_t file_offset, off_t memory_offset) {
    int code = called(write ? "cuFileWrite" : "cuFileRead");
    if (!code) code = not_ready();
    if (!code) code = bad_range(base, memory_offset, size);
    ssize_t outcome = code ? -code : transfer(write, file, base, size, file_offset, memory_offset, true);
    if (outcome < 0 && outcome > -5000) {
        errno = (int)-outcome;
        return -1;
    }
    return outcome;
}

API ssize_t cuFileRead(void *file, void *base, size_t size, off_t file_offset, off_t memory_offset) {
    return waiting(false, file, base, size, file_offset, memory_offset);
}

API ssize_t cuFileWrite(void *file, const void *base, size_t size, off_t file_offset, off_t memory_offset) {
    return waiting(true, file, (void *)base, size, file_offset, memory_offset);
}
