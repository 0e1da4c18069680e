/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the C programs that Java is compared with: calls of libraries that are opened when the program runs, and a clock.
 * No header of CUDA or NCCL is needed.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef uint64_t device_pointer;
typedef void *handle;

static inline void *function(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr, "a library has no %s\n", name);
        exit(1);
    }
    return found;
}

static inline void require(int result, const char *call) {
    if (result != 0) {
        fprintf(stderr, "%s failed: %d\n", call, result);
        exit(1);
    }
}

/* Calls a function with the types of its arguments. */
#define CALL(library, name, types, ...) require(((int(*) types)function(library, name))(__VA_ARGS__), name)

static inline int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}
