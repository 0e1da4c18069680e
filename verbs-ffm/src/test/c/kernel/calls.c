// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The door: the system calls of libibverbs and its provider that would reach a kernel with an adapter. Loaded with
// LD_PRELOAD. The device's file is /dev/null, which is a character device as it should be. It has no ioctl, and we
// have only commands that exist as ioctls alone. So libibverbs writes its commands, as it does on a kernel without ioctls.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <rdma/rdma_user_ioctl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "standin.h"

static const char DEVICE[] = "/dev/infiniband/uverbs";
static const char MANAGER[] = "/dev/infiniband/rdma_cm";
static const char FILE_OF_DEVICE[] = "/dev/null";

enum { MAX_DESCRIPTORS = 1 << 16 };

// Of a descriptor: whether it is the device. Read without a lock; a descriptor is set before its number is known.
static volatile bool devices[MAX_DESCRIPTORS];

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static bool is_device(int descriptor) {
    return descriptor >= 0 && descriptor < MAX_DESCRIPTORS && devices[descriptor];
}

static bool names_device(const char *path) {
    return path && strncmp(path, DEVICE, sizeof DEVICE - 1) == 0;
}

static bool names_manager(const char *path) {
    return path && strcmp(path, MANAGER) == 0;
}

int open(const char *path, int flags, ...) {
    REAL(open);
    va_list list;
    va_start(list, flags);
    mode_t mode = va_arg(list, mode_t);
    va_end(list);
    if (names_manager(path)) {
        return open_manager(flags);
    }
    if (!names_device(path)) {
        return real(path, flags, mode);
    }
    int descriptor = real(FILE_OF_DEVICE, flags, mode);
    if (descriptor >= MAX_DESCRIPTORS) {
        close(descriptor);
        errno = EMFILE;
        return -1;
    }
    if (descriptor >= 0) {
        devices[descriptor] = true;
    }
    return descriptor;
}

int stat(const char *restrict path, struct stat *restrict result) {
    REAL(stat);
    return real(names_device(path) ? FILE_OF_DEVICE : path, result);
}

// librdmacm wants a character device.
int fstat(int descriptor, struct stat *result) {
    REAL(fstat);
    return is_manager(descriptor) ? stat(FILE_OF_DEVICE, result) : real(descriptor, result);
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
    REAL(write);
    return is_device(descriptor)    ? run_command(descriptor, bytes, length)
           : is_manager(descriptor) ? run_manager_command(descriptor, bytes, length)
                                    : real(descriptor, bytes, length);
}

int ioctl(int descriptor, unsigned long request, ...) {
    REAL(ioctl);
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    return request == RDMA_VERBS_IOCTL ? run_ioctl(argument) : real(descriptor, request, argument);
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    REAL(mmap);
    return is_device(descriptor) ? map_memory(descriptor, length, offset)
                                 : real(address, length, protection, flags, descriptor, offset);
}

int close(int descriptor) {
    REAL(close);
    if (is_device(descriptor)) {
        forget_context(descriptor);
        devices[descriptor] = false;
    }
    if (is_manager(descriptor)) {
        forget_manager(descriptor);
    }
    forget_pipe(descriptor);
    return real(descriptor);
}

// Real devices are listed through netlink; where that fails, libibverbs reads the folder that SYSFS_PATH names.
int socket(int domain, int type, int protocol) {
    REAL(socket);
    if (domain == AF_NETLINK && protocol == NETLINK_RDMA) {
        errno = EPROTONOSUPPORT;
        return -1;
    }
    return real(domain, type, protocol);
}
